// The language server: its start, its end, and requests to it.
import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  type ErrorHandler,
  LanguageClient,
  type MessageTransports,
  State,
  Trace,
  TransportKind,
} from "vscode-languageclient/node";
import { type Attached, channelOptions } from "./channel.ts";
import { message, unless } from "./failure.ts";
import { locate } from "./program.ts";
import { EDITOR_PROTOCOL, type ServerOptions } from "./protocol.ts";
import { pause } from "./readiness.ts";

export const NOT_RUNNING =
  'the zubi language server is not running. Run the command "zubi: Restart Language Server"; ' +
  'the command "zubi: Show Log" says why it stopped.';
/** How many times within three minutes the server may end by itself and still be restarted. */
const RESTARTS = 4;
/** The time-out for the server's first message. The server sends it before it reads any file. */
const START_LIMIT_MS = 20_000;

/** A client that knows its program even after the program has closed its output: the library forgets it then, but it may still run. */
class Client extends LanguageClient {
  #process: ChildProcess | undefined;

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const transports = await super.createMessageTransports(encoding);
    this.#process = this.serverProcess;
    return transports;
  }

  /** Ends the program; has no effect if it has already ended. */
  kill(): void {
    this.#process?.kill("SIGKILL");
  }
}

/** The running language server, or the one that could not be started. */
export class Server {
  readonly log = vscode.window.createOutputChannel("zubi", { log: true });
  /** The program, once it has been found. */
  program: string | undefined;
  #client: Client | undefined;
  #attached: Attached | undefined;
  /** The start or restart in progress; it never rejects, because callers read the client's state afterwards. */
  #starting: Promise<void> = Promise.resolve();
  /** Counts how often servers have ended by themselves. */
  #usual: ErrorHandler | undefined;
  /** Why the running server has no editor channel. */
  #mismatch: string | undefined;
  /** Signals that the server will end: no caller waits for its responses any more. The library would, for a server that hangs. */
  readonly #ending = new vscode.EventEmitter<void>();
  readonly #start: () => Promise<void>;
  readonly #failed: (problem: string) => void;

  /** `connected` receives each client before its start, to register handlers; `failed` the reason why one does not run properly. */
  constructor(
    extensionPath: string,
    connected: (client: LanguageClient) => Attached,
    failed: (problem: string) => void,
  ) {
    this.#start = () => this.#startProgram(locate(extensionPath), connected);
    this.#failed = failed;
  }

  /** Starts the server, after ending one that runs or that was started and does not respond. */
  restart(): Promise<void> {
    this.#usual = undefined;
    return this.#again();
  }

  /** Sends a request; waits while the server starts. Fails with `NOT_RUNNING` if there is no server. */
  request<Result>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Result> {
    const answer = this.#ask<Result>(method, params, token);
    return token ? unless(token.onCancellationRequested, new vscode.CancellationError(), answer) : answer;
  }

  async #ask<Result>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Result> {
    let starting;
    do await (starting = this.#starting);
    while (
      // The start may have been replaced by another one.
      starting !== this.#starting
    );
    const client = this.#client;
    if (client?.state !== State.Running) throw new Error(NOT_RUNNING);
    if (this.#mismatch !== undefined && method.startsWith("zubi/")) throw new Error(this.#mismatch);
    // The answer should reflect what the user sees now.
    await this.#attached?.flush();
    // A caller that was cancelled must not see the request start.
    if (token?.isCancellationRequested) throw new vscode.CancellationError();
    // A token that is undefined would be sent as a parameter.
    const sent = token ? client.sendRequest<Result>(method, params, token) : client.sendRequest<Result>(method, params);
    return unless(this.#ending.event, new Error(NOT_RUNNING), sent);
  }

  stop(): Promise<void> {
    this.#ending.fire();
    return (this.#starting = this.#starting.then(() => this.#end()));
  }

  #again(): Promise<void> {
    // A start that was replaced before it began does not begin.
    const begin = (): Promise<void> | undefined => (this.#starting === starting ? this.#start() : undefined);
    const starting: Promise<void> = this.stop()
      .then(begin)
      .catch((error: unknown) => {
        // Another start reports its own failure.
        if (this.#starting === starting) this.#failed(`the language server did not start: ${message(error)}`);
      });
    return (this.#starting = starting);
  }

  async #startProgram(command: string, connected: (client: LanguageClient) => Attached): Promise<void> {
    this.program = command;
    this.log.info(`Starting ${command}`);
    const client: Client = new Client(
      "zubi",
      "zubi",
      { command, args: ["lsp"], transport: TransportKind.stdio },
      {
        documentSelector: [{ language: "domain-lang" }],
        initializationOptions: { zubi: channelOptions() },
        outputChannel: this.log,
        // The trace that the setting enables is logged at every level.
        traceOutputChannel: Object.create(this.log, {
          trace: {
            value: (line: string) => {
              this.log.info(line);
            },
          },
        }) as vscode.LogOutputChannel,
        errorHandler: {
          error: (...happened) => usual.error(...happened),
          closed: async () => {
            // A server that exits by itself is restarted, unless that happened too often.
            if (this.#client === client && client.state === State.Running) {
              client.kill();
              this.#client = undefined;
              const { action, message: why = NOT_RUNNING } = await usual.closed();
              if (action === CloseAction.Restart) void this.#again();
              else this.#failed(why);
            }
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
        // A failed start is reported once, by the extension, with a remedy.
        initializationFailedHandler: () => false,
      },
    );
    const usual = (this.#usual ??= client.createDefaultErrorHandler(RESTARTS));
    this.#client = client;
    this.#attached = connected(client);
    const silence = new Error(`it has said nothing for ${START_LIMIT_MS / 1000} seconds`);
    const started = Promise.race([client.start(), pause(START_LIMIT_MS).then(() => Promise.reject(silence))]);
    const ended = new Error("it had said nothing yet when it was ended");
    await unless(this.#ending.event, ended, started).catch(async (error: unknown) => {
      await this.#end();
      throw error;
    });
    await client.setTrace(Trace.fromString(vscode.workspace.getConfiguration("zubi").get("trace", "off")));
    this.#mismatch = mismatch(client, command);
    if (this.#mismatch !== undefined) this.#failed(this.#mismatch);
  }

  async #end(): Promise<void> {
    this.#attached?.dispose();
    const client = this.#client;
    this.#client = this.#attached = this.#mismatch = undefined;
    // A server without a connection gets no `shutdown`.
    const hears = client?.state === State.Running;
    const isEnded = await client?.dispose().then(
      () => hears,
      (error: unknown) => {
        // A server that has already ended, or that never started, cannot be ended again.
        this.log.debug(`The language server did not end in order: ${message(error)}`);
        return false;
      },
    );
    if (isEnded === false) client?.kill();
  }
}

/** Which of the two is too old, if either is. */
function mismatch({ initializeResult: told }: LanguageClient, program: string): string | undefined {
  const { zubi } = (told?.capabilities.experimental ?? {}) as { readonly zubi?: Partial<ServerOptions> };
  const spoken = zubi?.editorProtocol ?? 0;
  if (spoken === EDITOR_PROTOCOL) return undefined;
  const which = `${program} (${zubi?.version ?? told?.serverInfo?.version ?? "of an unknown version"})`;
  const [old, other, next] =
    spoken < EDITOR_PROTOCOL ? [which, "this extension", "program"] : ["this extension", which, "extension"];
  return `${old} is too old for ${other}, so only DomainLang works. Update the ${next}, then run "zubi: Restart Language Server".`;
}
