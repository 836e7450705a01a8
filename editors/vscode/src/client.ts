// The language server: which program it is, its start, its end, and questions to it.
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  State,
  TransportKind,
} from "vscode-languageclient/node";
import { type Attached, channelOptions } from "./channel.ts";
import { message } from "./failure.ts";

/** What to tell somebody who needs the server while it does not run. */
export const NOT_RUNNING =
  'the zubi language server is not running. Run the command "zubi: Restart Language Server"; ' +
  'the command "zubi: Show Log" says why it stopped.';

/** How often the server may end by itself within three minutes and still be started again. */
const RESTARTS = 4;

/** How long the server may take to say its first word. It does so before it reads any file. */
const START_LIMIT_MS = 20_000;

/** The running language server, or the one that could not be started. */
export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("zubi", { log: true });
  readonly #context: vscode.ExtensionContext;
  readonly #connected: (client: LanguageClient) => Attached;
  #client: LanguageClient | undefined;
  #attached: Attached | undefined;
  /** The start or restart under way; it never fails, because whoever waits for it looks at the client's state afterwards. */
  #starting: Promise<void> = Promise.resolve();
  /** Stops waiting for a server that has not answered yet. */
  #giveUp: () => void = () => undefined;

  /** `connected` is called with each new client before it is started, to say what the client answers. */
  constructor(context: vscode.ExtensionContext, connected: (client: LanguageClient) => Attached) {
    this.#context = context;
    this.#connected = connected;
  }

  /** Starts the server, after ending the one that runs, or that was started and says nothing. */
  restart(): Promise<void> {
    this.#giveUp();
    const starting = this.#starting.then(async () => {
      await this.#end();
      try {
        await this.#start();
      } catch (error) {
        this.log.error(`The language server did not start: ${message(error)}`);
        // Who has started it anew meanwhile wants to know how that goes.
        if (this.#starting === starting) void this.#tellNotStarted(error);
      }
    });
    this.#starting = starting;
    return starting;
  }

  /** Asks the server; waits while it starts. Fails with `NOT_RUNNING` when there is none. */
  async request<Result>(method: string, params: unknown, token: vscode.CancellationToken): Promise<Result> {
    let starting;
    do {
      starting = this.#starting;
      await unlessCancelled(starting, token);
      // It may have been given up for another start.
    } while (starting !== this.#starting);
    const client = this.#client;
    if (client?.state !== State.Running) throw new Error(NOT_RUNNING);
    // So that the answer is about what the user sees now.
    await this.#attached?.flush();
    return client.sendRequest<Result>(method, params, token);
  }

  /** Ends the server. */
  async stop(): Promise<void> {
    this.#giveUp();
    this.#starting = this.#starting.then(() => this.#end());
    await this.#starting;
  }

  dispose(): void {
    this.log.dispose();
  }

  async #start(): Promise<void> {
    const command = program(this.#context);
    this.log.info(`Starting ${command}`);
    const options: LanguageClientOptions = {
      documentSelector: [{ language: "domain-lang" }],
      // Asked for at each start, because settings change.
      initializationOptions: () => ({ zubi: channelOptions() }),
      outputChannel: this.log,
      errorHandler: {
        error: (...happened) => usual.error(...happened),
        // One that was ended here is not started again by the client.
        closed: () => (this.#client === client ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
      },
      // A start that fails is reported once, by us, with what can be done about it.
      initializationFailedHandler: () => false,
    };
    const run = { command, args: ["lsp"], transport: TransportKind.stdio };
    const client: LanguageClient = new LanguageClient("zubi", "zubi", run, options);
    const usual: ErrorHandler = client.createDefaultErrorHandler(RESTARTS);
    this.#client = client;
    this.#attached = this.#connected(client);
    let startedBefore = false;
    client.onDidChangeState(({ newState }) => {
      if (newState !== State.Starting) return;
      if (startedBefore) this.#startedAgain(client);
      startedBefore = true;
    });
    await this.#answered(client.start());
  }

  /** The client starts a server that has ended by itself once more. It may be silent as well. */
  #startedAgain(client: LanguageClient): void {
    // This start, whatever happens until it is waited for. The client tells when it fails.
    const started = client.start().catch((error: unknown) => {
      this.log.error(`The language server did not start again: ${message(error)}`);
    });
    const starting = this.#starting.then(async () => {
      // Neither is anything waited for that somebody has ended or started anew meanwhile.
      if (this.#client !== client || this.#starting !== starting) return;
      try {
        await this.#answered(started);
      } catch (error) {
        this.log.error(`The language server did not start again: ${message(error)}`);
        if (this.#starting === starting) void this.#tellNotStarted(error);
      }
    });
    this.#starting = starting;
  }

  /** Waits for the end of a start, for as long as it may take. The process of one that takes longer is ended. */
  async #answered(start: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<Error>((resolve) => {
      timer = setTimeout(() => { resolve(new Error(`it has said nothing for ${START_LIMIT_MS / 1000} seconds`)); }, START_LIMIT_MS);
      this.#giveUp = () => { resolve(new Error("it had said nothing yet when it was ended")); };
    });
    try {
      const silent = await Promise.race([start, silence]);
      if (silent === undefined) return;
      await this.#end();
      throw silent;
    } finally {
      clearTimeout(timer);
      this.#giveUp = () => undefined;
    }
  }

  async #end(): Promise<void> {
    this.#attached?.dispose();
    this.#attached = undefined;
    const client = this.#client;
    this.#client = undefined;
    const server = client?.serverProcess;
    try {
      await client?.dispose();
    } catch (error) {
      // One that has already ended, or that never started, cannot be ended once more; one that does not answer is killed.
      this.log.debug(`The language server did not end in order: ${message(error)}`);
      server?.kill("SIGKILL");
    }
  }

  async #tellNotStarted(error: unknown): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(
      `zubi: the language server did not start: ${message(error)}`,
      "Open Setting",
      "Show Log",
    );
    if (chosen === "Open Setting") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "zubi.server.path");
    } else if (chosen === "Show Log") {
      this.log.show();
    }
  }
}

/** The setting, else the program that came with the extension, else the one on the PATH. */
function program(context: vscode.ExtensionContext): string {
  const configured = vscode.workspace.getConfiguration("zubi").get<string>("server.path", "").trim();
  if (configured !== "") return configured;
  const bundled = path.join(context.extensionPath, "server", process.platform === "win32" ? "zubi.exe" : "zubi");
  return existsSync(bundled) ? bundled : "zubi";
}

/** A promise's value, unless nobody wants it any more before it is there. */
async function unlessCancelled<Value>(value: Promise<Value>, token: vscode.CancellationToken): Promise<Value> {
  let listener: vscode.Disposable | undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    const end = (): void => { reject(new vscode.CancellationError()); };
    if (token.isCancellationRequested) end();
    else listener = token.onCancellationRequested(end);
  });
  try {
    return await Promise.race([value, cancelled]);
  } finally {
    listener?.dispose();
  }
}
