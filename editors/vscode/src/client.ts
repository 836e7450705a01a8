// The language server: start, end, and requests to it.
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
import { type EditorChannel, channelOptions } from "./channel.ts";
import { message, rejectOn } from "./failure.ts";
import { locate } from "./program.ts";
import { EDITOR_PROTOCOL, type ServerOptions } from "./protocol.ts";
import { pause } from "./readiness.ts";

export const NOT_RUNNING =
  'the zubi language server is not running. Run the command "zubi: Restart Language Server"; ' +
  'the command "zubi: Show Log" says why it stopped.';
/** The maximum number of restarts within three minutes, if the server ends by itself. */
const RESTARTS = 4;
/** The time-out for the server's first message. The server sends it before it reads any file. */
const START_TIMEOUT_MS = 20_000;

/** A client that still has its process after that has closed its output; the library drops it too early. */
class Client extends LanguageClient {
  #process: ChildProcess | undefined;

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const transports = await super.createMessageTransports(encoding);
    this.#process = this.serverProcess;
    return transports;
  }

  /** Ends the process; has no effect if it has already ended. */
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
  #channel: EditorChannel | undefined;
  /** The start or restart in progress; it never rejects, because callers read the client's state afterwards. */
  #starting: Promise<void> = Promise.resolve();
  /** Counts how often servers have ended by themselves. */
  #defaultHandler: ErrorHandler | undefined;
  /** Why the running server has no editor channel. */
  #versionMismatch: string | undefined;
  /** Fires before the server ends, so that callers stop waiting. The library would wait for a server that hangs. */
  readonly #ending = new vscode.EventEmitter<void>();
  readonly #start: () => Promise<void>;
  readonly #reportProblem: (problem: string) => void;

  /** `attach` registers a client's handlers before its start; `reportProblem` receives the reason of a failure. */
  constructor(
    extensionPath: string,
    attach: (client: LanguageClient) => EditorChannel,
    reportProblem: (problem: string) => void,
  ) {
    this.#start = () => this.#startProgram(locate(extensionPath), attach);
    this.#reportProblem = reportProblem;
  }

  /** Starts the server. First ends one that runs, or one that was started and does not respond. */
  restart(): Promise<void> {
    this.#defaultHandler = undefined;
    return this.#startAgain();
  }

  /** Sends a request; waits while the server starts. Fails with `NOT_RUNNING` if there is no server. */
  request<Result>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Result> {
    const answer = this.#send<Result>(method, params, token);
    return token ? rejectOn(token.onCancellationRequested, new vscode.CancellationError(), answer) : answer;
  }

  async #send<Result>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<Result> {
    // Another start may replace the awaited one.
    let starting: Promise<void> | undefined;
    while (starting !== this.#starting) {
      starting = this.#starting;
      await starting;
    }
    const client = this.#client;
    if (client?.state !== State.Running) throw new Error(NOT_RUNNING);
    if (this.#versionMismatch !== undefined && method.startsWith("zubi/")) throw new Error(this.#versionMismatch);
    // The answer should reflect what the user sees now.
    await this.#channel?.flush();
    // After a cancellation, the request must not start.
    if (token?.isCancellationRequested) throw new vscode.CancellationError();
    // The library would send an undefined token as a parameter.
    const response = token
      ? client.sendRequest<Result>(method, params, token)
      : client.sendRequest<Result>(method, params);
    return rejectOn(this.#ending.event, new Error(NOT_RUNNING), response);
  }

  stop(): Promise<void> {
    this.#ending.fire();
    this.#starting = this.#starting.then(() => this.#end());
    return this.#starting;
  }

  #startAgain(): Promise<void> {
    // A start that was replaced before it began must not begin.
    const begin = (): Promise<void> | undefined => (this.#starting === starting ? this.#start() : undefined);
    const starting: Promise<void> = this.stop()
      .then(begin)
      .catch((error: unknown) => {
        // Another start reports its own failure.
        if (this.#starting === starting) this.#reportProblem(`the language server did not start: ${message(error)}`);
      });
    this.#starting = starting;
    return starting;
  }

  async #startProgram(command: string, attach: (client: LanguageClient) => EditorChannel): Promise<void> {
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
        // The log shows the trace that the setting enables at every level.
        traceOutputChannel: Object.create(this.log, {
          trace: {
            value: (line: string) => {
              this.log.info(line);
            },
          },
        }) as vscode.LogOutputChannel,
        errorHandler: {
          error: (...details) => defaultHandler.error(...details),
          closed: async () => {
            // The library restarts a server that exits by itself, unless that happened too often.
            if (this.#client === client && client.state === State.Running) {
              client.kill();
              this.#client = undefined;
              const { action, message: reason = NOT_RUNNING } = await defaultHandler.closed();
              if (action === CloseAction.Restart) void this.#startAgain();
              else this.#reportProblem(reason);
            }
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
        // The extension reports a failed start once, with a remedy.
        initializationFailedHandler: () => false,
      },
    );
    const defaultHandler = (this.#defaultHandler ??= client.createDefaultErrorHandler(RESTARTS));
    this.#client = client;
    this.#channel = attach(client);
    const timeoutError = new Error(`it has sent nothing for ${START_TIMEOUT_MS / 1000} seconds`);
    const started = Promise.race([client.start(), pause(START_TIMEOUT_MS).then(() => Promise.reject(timeoutError))]);
    const endedError = new Error("it was ended before it had sent anything");
    await rejectOn(this.#ending.event, endedError, started).catch(async (error: unknown) => {
      await this.#end();
      throw error;
    });
    await client.setTrace(Trace.fromString(vscode.workspace.getConfiguration("zubi").get("trace", "off")));
    this.#versionMismatch = versionMismatch(client, command);
    if (this.#versionMismatch !== undefined) this.#reportProblem(this.#versionMismatch);
  }

  async #end(): Promise<void> {
    this.#channel?.dispose();
    const client = this.#client;
    this.#client = undefined;
    this.#channel = undefined;
    this.#versionMismatch = undefined;
    // A server without a connection cannot receive `shutdown`.
    const isConnected = client?.state === State.Running;
    const isEnded = await client?.dispose().then(
      () => isConnected,
      (error: unknown) => {
        // A server that has already ended, or that never started, cannot be ended again.
        this.log.debug(`The language server did not end in order: ${message(error)}`);
        return false;
      },
    );
    if (isEnded === false) client?.kill();
  }
}

/** Returns a message if the program or the extension is too old for the other. */
function versionMismatch({ initializeResult }: LanguageClient, program: string): string | undefined {
  const { zubi } = (initializeResult?.capabilities.experimental ?? {}) as { readonly zubi?: Partial<ServerOptions> };
  const serverVersion = zubi?.editorProtocol ?? 0;
  if (serverVersion === EDITOR_PROTOCOL) return undefined;
  const version = zubi?.version ?? initializeResult?.serverInfo?.version ?? "of an unknown version";
  const server = `${program} (${version})`;
  const isServerOld = serverVersion < EDITOR_PROTOCOL;
  const mismatch = isServerOld ? `${server} is too old for this extension` : `this extension is too old for ${server}`;
  const outdated = isServerOld ? "program" : "extension";
  const restart = 'then run "zubi: Restart Language Server"';
  return `${mismatch}, so only DomainLang works. Update the ${outdated}, ${restart}.`;
}
