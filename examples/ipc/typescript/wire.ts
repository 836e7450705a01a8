// JSON-RPC, one message per line, over a host's socket or port, and the proof that begins a connection to the port.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import fs from "node:fs";
import net from "node:net";

import { fromJson, type Host, IpcError, isKey, isObject, printable, reason, START_A_HOST, STATUS_HINT } from "./hosts.ts";

export const MAX_FRAME = 8 * 1024 * 1024;
const MAX_FIRST_LINE = 4 * 1024;
/** The maximum number of unanswered requests that have timed out. */
const MAX_LATE = 1000;

const SUGGESTIONS: Readonly<Record<number, string>> = {
  [-32601]: "The host may be of another version: compare `zubi --version` with `zubi status`.",
  [-32602]: "Correct the argument that the message names.",
  [-32000]: "Connect without `port`: over the socket more is allowed, and the user's id is the proof.",
  [-32001]: "Use the host of the file's own folder: pass that folder as `workspace`.",
  [-32002]: "Only commands on the host's list are run; the user's settings can add one.",
  [-32003]: "The language server is still reading the project: try again in a few seconds.",
};

/** The host cannot be reached, disconnected, refused the connection, or could not prove its identity. */
export class ConnectionFailed extends IpcError {
  override readonly name = "ConnectionFailed";
}

/** The response did not arrive in time. */
export class TimedOut extends IpcError {
  override readonly name = "TimedOut";

  constructor(message: string) {
    super(message, "Try again with a longer `timeoutMs`; a language server that has just started needs some time.");
  }
}

/** The host sent an invalid message, or a message to send is invalid. */
export class ProtocolError extends IpcError {
  override readonly name = "ProtocolError";
}

/** The host refused the request. `field` is the invalid argument, if the host names it. */
export class RpcError extends IpcError {
  override readonly name = "RpcError";
  readonly field: string | undefined;

  constructor(message: string, code: number, field?: string) {
    super(message, SUGGESTIONS[code] ?? STATUS_HINT, code);
    this.field = field;
  }
}

/** Splits a stream of chunks into lines. It decodes only whole lines, because chunks may split characters. */
export class Lines {
  #pieces: Buffer[] = [];
  #length = 0;
  /** The maximum length of a line in bytes, without the line feed. */
  limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Returns the lines that end in this chunk. A longer line than the limit is an error. */
  *take(piece: Buffer): Generator<Buffer, void, undefined> {
    let rest = piece;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, end));
      const line = Buffer.concat(this.#pieces);
      [this.#pieces, this.#length] = [[], 0];
      rest = rest.subarray(end + 1);
      yield line;
    }
    this.#keep(rest);
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.limit) throw new ProtocolError(`The host sent a line of more than ${this.limit} bytes.`);
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

interface Question {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: IpcError) => void;
}

/** A connection to a host. Any number of requests may be in progress at once. */
export class Connection {
  readonly #socket: net.Socket;
  readonly #lines: Lines;
  readonly #questions = new Map<number, Question>();
  readonly #late = new Set<number>();
  #next = 0;
  #greet: Question | undefined;
  #ended: IpcError | undefined;

  constructor(socket: net.Socket, limit: number) {
    this.#socket = socket;
    this.#lines = new Lines(limit);
    socket.on("data", (piece: Buffer) => {
      this.#read(piece);
    });
    socket.on("error", (error) => {
      this.end(new ConnectionFailed(`The connection to the host broke: ${printable(reason(error))}.`));
    });
    socket.on("close", () => {
      this.end(new ConnectionFailed("The host closed the connection."));
    });
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Sends a request and waits at most `timeoutMs` for the answer. The connection stays open after a time-out. */
  request(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
    const id = this.#next++;
    return within(
      timeoutMs,
      (resolve, reject) => {
        if (this.#ended !== undefined) throw this.#ended;
        const frame = frameOf({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
        this.#questions.set(id, { resolve, reject });
        this.#socket.write(frame);
      },
      () => {
        this.#giveUp(id);
        return new TimedOut("The host did not answer in time.");
      },
    );
  }

  /** Ends the connection; every request in progress fails with the error. */
  end(error: IpcError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#socket.destroy();
    for (const question of [...this.#questions.values(), this.#greet]) question?.reject(error);
    this.#questions.clear();
  }

  /** Exchanges proofs that both sides know the token. Sends nothing else until the host has proved itself. */
  async prove(host: Host, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const hostNonce = await this.#nonce(host, timeoutMs);
    const clientNonce = randomBytes(32).toString("hex");
    const params = { nonce: clientNonce, proof: proofOf(host.token, "client", hostNonce, clientNonce) };
    let answer: unknown;
    try {
      answer = await this.request("authenticate", params, Math.max(deadline - performance.now(), 0));
    } catch (error) {
      if (!(error instanceof ConnectionFailed || error instanceof RpcError)) throw error;
      const message = `The host on port ${host.port ?? 0} did not accept our proof. ${error.message}`;
      throw new ConnectionFailed(message, STATUS_HINT, error.code);
    }
    const proof = isObject(answer) ? answer["proof"] : undefined;
    if (
      !isKey(proof) ||
      !timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(host.token, "server", hostNonce, clientNonce)))
    ) {
      throw new ConnectionFailed(
        `The process on port ${host.port ?? 0} does not know the host's token; no request was sent.`,
        "Another program may have taken the port. Connect without `port`.",
      );
    }
    this.#lines.limit = MAX_FRAME;
  }

  /** Reads the nonce, which the host sends first. */
  async #nonce(host: Host, timeoutMs: number): Promise<string> {
    const late = new TimedOut(`The process on port ${host.port ?? 0} did not begin in time.`);
    const hello = await within(
      timeoutMs,
      (resolve, reject) => {
        if (this.#ended !== undefined) throw this.#ended;
        this.#greet = { resolve, reject };
      },
      () => late,
    );
    const nonce = isObject(hello) ? hello["nonce"] : undefined;
    if (!isKey(nonce)) {
      throw new ProtocolError(`The process on port ${host.port ?? 0} does not begin as a zubi host does.`);
    }
    return nonce;
  }

  #read(piece: Buffer): void {
    try {
      for (const line of this.#lines.take(piece)) {
        if (this.#ended !== undefined) return;
        this.#hear(line);
      }
    } catch (error) {
      this.end(error instanceof IpcError ? error : new ProtocolError(printable(String(error))));
    }
  }

  #hear(line: Buffer): void {
    const message = fromJson(line);
    if (message === undefined) throw new ProtocolError("The host sent a line that is not JSON.");
    if (!isObject(message)) throw new ProtocolError("The host sent JSON that is not a message.");
    const { id, error } = message;
    if (!("method" in message) && (id ?? undefined) === undefined && isObject(error)) {
      throw new ConnectionFailed(`The host refused: ${printable(error["message"])}`, STATUS_HINT, codeOf(error));
    }
    if (this.#greet !== undefined) {
      const greet = this.#greet;
      this.#greet = undefined;
      greet.resolve(message);
    } else if (!("method" in message)) {
      this.#answer(message);
    } else if ("id" in message && this.#lines.limit === MAX_FRAME) {
      this.#decline(id);
    }
  }

  #answer(message: Record<string, unknown>): void {
    const { id, error } = message;
    if (typeof id === "number" && this.#late.delete(id)) return;
    const question = typeof id === "number" ? this.#questions.get(id) : undefined;
    if (question === undefined || message["jsonrpc"] !== "2.0") {
      throw new ProtocolError("The host sent an answer without a request.");
    }
    if (!isObject(error) && !("result" in message)) {
      throw new ProtocolError("The host sent an answer with neither a result nor an error.");
    }
    this.#questions.delete(id as number);
    if (isObject(error)) question.reject(errorOf(error));
    else question.resolve(message["result"]);
  }

  /** Declines a request of the host, which only agents answer, so that the host need not wait. */
  #decline(id: unknown): void {
    if (this.#socket.writableLength > MAX_FRAME) throw new ProtocolError("The host sends requests but reads no answers.");
    const error = { code: -32601, message: "this client answers no requests" };
    this.#socket.write(frameOf({ jsonrpc: "2.0", id, error }));
  }

  #giveUp(id: number): void {
    if (!this.#questions.delete(id)) return;
    this.#late.add(id);
    if (this.#socket.writableLength > 0 || this.#late.size > MAX_LATE) {
      this.end(new ConnectionFailed("The host does not read requests."));
    } else {
      this.#socket.write(frameOf({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } }));
    }
  }
}

/** Connects to a host's socket if this user owns it. Node cannot identify the listener, so the directory counts. */
export async function openSocket(host: Host, path: string, timeoutMs: number): Promise<Connection> {
  const what = `the host (process ${host.pid}) at ${printable(path)}`;
  let status: fs.Stats;
  try {
    status = fs.lstatSync(path);
  } catch (error) {
    throw unreachable(what, error);
  }
  if (!status.isSocket() || status.uid !== process.geteuid?.()) {
    throw new ConnectionFailed(`${printable(path)} is not a socket of this user.`);
  }
  return new Connection(await connected({ path }, what, timeoutMs), MAX_FRAME);
}

/** Connects to a host's port and performs the mutual proof. */
export async function openPort(host: Host, port: number, timeoutMs: number): Promise<Connection> {
  const deadline = performance.now() + timeoutMs;
  const what = `the host (process ${host.pid}) on port ${port}`;
  const socket = await connected({ host: "127.0.0.1", port }, what, timeoutMs);
  const connection = new Connection(socket, MAX_FIRST_LINE);
  try {
    await connection.prove(host, Math.max(deadline - performance.now(), 0));
  } catch (error) {
    connection.end(new ConnectionFailed("The connection was not proven."));
    throw error;
  }
  return connection;
}

/** The proof that a side knows the token. It differs between the sides, so neither can replay the other's. */
export function proofOf(token: string, side: "client" | "server", serverNonce: string, clientNonce: string): string {
  return createHmac("sha256", Buffer.from(token, "hex"))
    .update(`zubi ${side}\0`)
    .update(Buffer.from(serverNonce, "hex"))
    .update(Buffer.from(clientNonce, "hex"))
    .digest("hex");
}

function connected(to: net.NetConnectOpts, what: string, timeoutMs: number): Promise<net.Socket> {
  const socket = net.connect(to);
  return within(
    timeoutMs,
    (resolve, reject) => {
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        resolve(socket);
      });
      socket.once("error", (error) => {
        reject(unreachable(what, error));
      });
    },
    () => {
      socket.destroy();
      return new TimedOut(`Cannot connect to ${what} in time.`);
    },
  );
}

/** A promise that `start` settles, or that is rejected with the result of `late`. */
function within<T>(
  timeoutMs: number,
  start: (resolve: (value: T) => void, reject: (error: IpcError) => void) => void,
  late: () => IpcError,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const settled = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, timeoutMs);
    start(resolve, reject);
  });
  return settled.finally(() => {
    clearTimeout(timer);
  });
}

function unreachable(what: string, error: unknown): ConnectionFailed {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why = code === "ECONNREFUSED" ? "connection refused" : reason(error);
  return new ConnectionFailed(`Cannot connect to ${what}: ${printable(why)}.`, START_A_HOST);
}

function errorOf(error: Record<string, unknown>): RpcError {
  const field = isObject(error["data"]) ? error["data"]["field"] : undefined;
  const wrong = typeof field === "string" ? printable(field) : undefined;
  return new RpcError(printable(error["message"]), codeOf(error), wrong);
}

function codeOf(error: Record<string, unknown>): number {
  return Number.isInteger(error["code"]) ? (error["code"] as number) : -32603;
}

/** The line of a message. Fails for values that JSON would silently change. */
function frameOf(message: Record<string, unknown>): string {
  const unchanged = (key: string, value: unknown): unknown => {
    const isText = !/\p{Cs}/u.test(key) && (typeof value !== "string" || !/\p{Cs}/u.test(value));
    if (!isText) throw new Error("a text is not Unicode");
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} is not a JSON number`);
    if (typeof value === "function" || typeof value === "symbol") throw new Error(`a ${typeof value} is not JSON`);
    return value;
  };
  let frame: string;
  try {
    frame = JSON.stringify(message, unchanged);
  } catch (error) {
    throw new ProtocolError(`The arguments cannot be sent as JSON: ${printable(reason(error))}.`, "Correct them.");
  }
  const length = Buffer.byteLength(frame);
  if (length > MAX_FRAME) {
    throw new ProtocolError(`The request has ${length} bytes, more than the ${MAX_FRAME} that a host reads.`, "Send less.");
  }
  return `${frame}\n`;
}
