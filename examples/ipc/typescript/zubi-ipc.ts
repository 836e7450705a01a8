// Queries a zubi host about a workspace: diagnostics, open files, the active file.
//
// Copy `zubi-ipc.ts`, `wire.ts` and `hosts.ts`; they need Node.js 22.18 on Linux (or a compiler) and nothing else.
//
//     const { summary } = await withClient({}, (client) => client.getWorkspaceErrors());
//
// A host is an editor with zubi, `zubi serve`, or any `zubi mcp` that serves the folder. The client finds it through
// the file that it writes into a directory of this user, and connects to the socket named there. With `port`, it
// connects over loopback TCP, where both sides first prove that they know the token in that file. Every failure is an
// `IpcError`.
import { absolute, findHost, type Host, hostOnPort, IpcError, isObject } from "./hosts.ts";
import { type Connection, ConnectionFailed, openPort, openSocket, ProtocolError } from "./wire.ts";

export { findHost, type Host, IpcError, NoHost, readHosts, runDirectory } from "./hosts.ts";
export { ConnectionFailed, ProtocolError, RpcError, TimedOut } from "./wire.ts";

const PROTOCOL = 1;

export type Severity = "error" | "warning" | "info" | "hint";

/** 0-based, columns in UTF-16 units, as in LSP. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly message: string;
  readonly severity: Severity;
  readonly source?: string;
  readonly code?: string;
}

/** The part of the requested scope that the host has checked, if the host is not an editor. */
export interface Coverage {
  readonly analysed: number;
  readonly total: number;
  readonly mode: string;
  readonly note?: string;
}

export interface FileDiagnostics {
  readonly uri: string;
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly coverage?: Coverage;
}

export interface ValidatedFile extends FileDiagnostics {
  readonly languageId: string;
  readonly note?: string;
}

export interface AllDiagnostics {
  readonly fileCount: number;
  readonly totalDiagnostics: number;
  readonly returned: number;
  readonly truncated: boolean;
  readonly files: readonly FileDiagnostics[];
  readonly coverage?: Coverage;
}

export interface WorkspaceErrors {
  readonly summary: Readonly<Record<"errors" | "warnings" | "info" | "filesWithErrors" | "filesWithWarnings", number>>;
  readonly bySource: Readonly<Record<string, number>>;
  readonly topErrorFiles: readonly { readonly path: string; readonly errors: number; readonly warnings: number }[];
  readonly sources: readonly string[];
  readonly coverage?: Coverage;
}

export interface OpenFile {
  readonly uri: string;
  readonly path: string;
  readonly languageId: string;
  readonly isDirty: boolean;
  readonly lineCount: number;
}

export interface OpenFiles {
  readonly count: number;
  readonly files: readonly OpenFile[];
  readonly note?: string;
}

export type ActiveFile =
  | { readonly active: false; readonly note?: string }
  | (OpenFile & {
      readonly active: true;
      /** 1-based. */
      readonly selection?: { readonly line: number; readonly column: number };
      readonly diagnostics: readonly Diagnostic[];
    });

export interface Options {
  /** The port for loopback TCP instead of the socket. */
  readonly port?: number;
  /** The time-out of the connection and of each call, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** The folder whose host to use; default the current directory. */
  readonly workspace?: string;
}

/** Filters for diagnostics. `limit` counts files. */
export interface Filters {
  readonly severity?: Severity;
  readonly source?: string;
  readonly limit?: number;
}

/** A connection to the host of a workspace, and one method for each of the port's. */
export class VSCodeIPCClient {
  readonly #options: Options;
  readonly #timeoutMs: number;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #host: Host | undefined;

  constructor(options: Options = {}) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    // Node treats a longer time as one millisecond.
    if (!(this.#timeoutMs > 0 && this.#timeoutMs < 2 ** 31)) {
      throw new RangeError("`timeoutMs` is a number of milliseconds above 0, of 24 days at most");
    }
  }

  /** The connected host. */
  get host(): Host | undefined {
    return this.#connection?.isOpen === true ? this.#host : undefined;
  }

  /** Finds the host and connects. Has no effect on a connected client. */
  async connect(): Promise<this> {
    if (this.#connection?.isOpen === false) this.close();
    const opening = (this.#opening ??= this.#open());
    try {
      const connection = await opening;
      if (this.#opening !== opening) throw new ConnectionFailed("The client was closed while it connected.");
      this.#connection = connection;
    } catch (error) {
      if (this.#opening === opening) this.close();
      throw error;
    }
    return this;
  }

  close(): void {
    const opening = this.#opening;
    this.#opening = this.#connection = this.#host = undefined;
    const end = (connection: Connection): void => {
      connection.end(new ConnectionFailed("The client was closed."));
    };
    // Callers that wait for the connection receive the error.
    opening?.then(end, () => undefined);
  }

  /** Calls a method of the host by its name. Omits arguments that are undefined. */
  async call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#connection?.isOpen !== true) {
      throw new ConnectionFailed("The client is not connected.", "Call `connect()`, or use `withClient`.");
    }
    return this.#connection.request(method, params, this.#timeoutMs);
  }

  /** Whether the host responds; `timestamp` is in milliseconds since 1970. */
  ping(): Promise<{ readonly status: string; readonly timestamp: number }> {
    return this.#ask("ping");
  }

  /** The diagnostics of one file. */
  getDiagnostics(path: string): Promise<FileDiagnostics> {
    return this.#ask("getDiagnostics", () => ({ path: absolute(path) }));
  }

  /** The diagnostics of all files. */
  getAllDiagnostics({ severity, source, limit }: Filters = {}): Promise<AllDiagnostics> {
    return this.#ask("getAllDiagnostics", () => ({ severity, source, limit }));
  }

  /** The number of diagnostics, their sources, and the files with most errors. */
  getWorkspaceErrors(): Promise<WorkspaceErrors> {
    return this.#ask("getWorkspaceErrors");
  }

  /** The diagnostics of a file after a new check. */
  validateFile(path: string): Promise<ValidatedFile> {
    return this.#ask("validateFile", () => ({ path: absolute(path) }));
  }

  /** The files that are open in the editor; without an editor, none and a `note`. */
  getOpenFiles(): Promise<OpenFiles> {
    return this.#ask("getOpenFiles");
  }

  /** The active file, with its diagnostics. */
  getActiveFile(): Promise<ActiveFile> {
    return this.#ask("getActiveFile");
  }

  /** Runs a command from the host's list, such as `zubi.validateFile` with a path. */
  executeCommand(
    command: string,
    args?: readonly unknown[],
  ): Promise<{ readonly executed: true; readonly command: string; readonly result: unknown }> {
    return this.#ask("executeCommand", () => ({ command, args }));
  }

  async #open(): Promise<Connection> {
    const { port: requestedPort, workspace } = this.#options;
    const host = requestedPort === undefined ? findHost(workspace) : hostOnPort(requestedPort);
    if (host.version !== PROTOCOL) {
      throw new ConnectionFailed(
        `The host speaks version ${host.version} of the protocol, this client version ${PROTOCOL}.`,
        "Take the client that belongs to the host's version of zubi.",
      );
    }
    const port = requestedPort ?? host.port;
    const connection =
      requestedPort === undefined && host.socket !== undefined
        ? await openSocket(host, host.socket, this.#timeoutMs)
        : await openPort(host, port ?? 0, this.#timeoutMs);
    this.#host = host;
    return connection;
  }

  /** The caller chooses the protocol's type without a check: the host belongs to this user and has proved it. */
  async #ask<T>(method: string, params?: () => Record<string, unknown>): Promise<T> {
    const result = await this.call(method, params?.());
    if (!isObject(result)) throw new ProtocolError(`The answer of the host to \`${method}\` is not an object.`);
    return result as T;
  }
}

/** Connects, calls `ask`, and always closes the connection. */
export async function withClient<T>(options: Options, ask: (client: VSCodeIPCClient) => Promise<T>): Promise<T> {
  const client = await new VSCodeIPCClient(options).connect();
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

/** A failure as a result. */
export interface Failure {
  readonly error: true;
  readonly message: string;
  readonly suggestion: string;
}

/** The diagnostics of a file. */
export function getVscodeDiagnostics(path: string, options?: Options): Promise<FileDiagnostics | Failure>;
/** The diagnostics of all files. */
export function getVscodeDiagnostics(path?: undefined, options?: Options & Filters): Promise<AllDiagnostics | Failure>;
export function getVscodeDiagnostics(
  path?: string,
  options: Options & Filters = {},
): Promise<FileDiagnostics | AllDiagnostics | Failure> {
  return answered<FileDiagnostics | AllDiagnostics>(options, (client) =>
    path === undefined ? client.getAllDiagnostics(options) : client.getDiagnostics(path),
  );
}

/** The number of diagnostics. */
export function getVscodeErrorSummary(options: Options = {}): Promise<WorkspaceErrors | Failure> {
  return answered(options, (client) => client.getWorkspaceErrors());
}

/** Whether a host responds. It need not be an editor; see `client.host.kind`. */
export async function isVscodeAvailable(options: Options = {}): Promise<boolean> {
  const answer = await answered(options, (client) => client.ping());
  return "status" in answer && answer.status === "ok";
}

async function answered<T>(options: Options, ask: (client: VSCodeIPCClient) => Promise<T>): Promise<T | Failure> {
  try {
    return await withClient(options, ask);
  } catch (error) {
    if (!(error instanceof IpcError)) throw error;
    return { error: true, message: error.message, suggestion: error.suggestion };
  }
}
