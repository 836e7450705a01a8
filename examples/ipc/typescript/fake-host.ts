// A host for the tests: real sockets, a real file, and responses that the test supplies.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

import { proofOf } from "./wire.ts";

export interface Cases {
  readonly proofs: readonly Record<"token" | "serverNonce" | "clientNonce" | "client" | "server", string>[];
  readonly choices: readonly {
    readonly name: string;
    readonly workspace: string;
    readonly hosts: readonly Message[];
    readonly chosen: string | null;
  }[];
  readonly files: readonly { readonly name: string; readonly change: Message; readonly doubt: string | null }[];
  readonly errors: readonly {
    readonly name: string;
    readonly code: number;
    readonly field: string | null;
    readonly suggestion: string;
  }[];
}

/** The test cases, which the Python client shares. */
export const CASES = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "cases.json"), "utf8")) as Cases;
export const TOKEN = "5a".repeat(32);

export type Message = Record<string, unknown>;
/** The reply to a message: raw bytes or a message. */
export type Reply = Buffer | Message;
export type Answer = (message: Message) => readonly Reply[];

export function result(message: Message, value: unknown): Message {
  return { jsonrpc: "2.0", id: message["id"], result: value };
}

export function failure(message: Message, code: number, text: string, data?: unknown): Message {
  return { jsonrpc: "2.0", id: message["id"], error: { code, message: text, data } };
}

export function pong(message: Message): Reply[] {
  return [result(message, { status: "ok", timestamp: 1 })];
}

export function startTime(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[19]);
}

/** A run directory, a workspace and an environment for one test. */
export class TestDirectory {
  readonly root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "zubi-")));
  readonly directory = path.join(this.root, "zubi");
  readonly workspace = path.join(this.root, "workspace");
  readonly socket = path.join(this.directory, "one.sock");
  readonly #test: TestContext;

  constructor(test: TestContext) {
    this.#test = test;
    fs.mkdirSync(this.directory, 0o700);
    fs.mkdirSync(this.workspace);
    const before = process.env["XDG_RUNTIME_DIR"];
    process.env["XDG_RUNTIME_DIR"] = this.root;
    test.after(() => {
      if (before === undefined) delete process.env["XDG_RUNTIME_DIR"];
      else process.env["XDG_RUNTIME_DIR"] = before;
      fs.rmSync(this.root, { recursive: true });
    });
  }

  /** Writes a host's file, by default of this process, and returns its path. */
  advertise(change: Message = {}, name = "one.json", mode = 0o600): string {
    const record = {
      version: 1,
      instance: "one",
      pid: process.pid,
      startedAt: startTime(process.pid),
      kind: "daemon",
      workspaceFolders: [this.workspace],
      socket: this.socket,
      port: null,
      token: TOKEN,
      capabilities: [],
      program: "0.1.0",
      ...change,
    };
    return this.write(name, JSON.stringify(record), mode);
  }

  write(name: string, content: string | Buffer, mode = 0o600): string {
    const file = path.join(this.directory, name);
    fs.writeFileSync(file, content);
    fs.chmodSync(file, mode);
    return file;
  }

  /** A host of the workspace that listens until the test ends, with its file. */
  async host(answer: Answer = pong, options: Partial<FakeHost> = {}): Promise<FakeHost> {
    const host = Object.assign(new FakeHost(answer), options);
    this.#test.after(() => {
      host.close();
    });
    await host.listen(this.socket);
    this.advertise({ port: host.port });
    return host;
  }
}

/** Listens on a socket and on a port. */
export class FakeHost {
  answer: Answer;
  /** The first line on the port, instead of a nonce. */
  greeting: Buffer | undefined;
  token = TOKEN;
  /** Returns the proof that the host sends, given the right one. */
  prove: (proof: string) => unknown = (proof) => proof;
  /** The message to a client whose proof is wrong; without it, the connection just ends. */
  refusal: string | undefined;
  isReading = true;
  port = 0;
  /** Every received message; on the port, those after the proof. */
  readonly received: Message[] = [];
  readonly connections: net.Socket[] = [];
  /** The first connection, once it exists. */
  readonly first: Promise<net.Socket>;
  #come: (connection: net.Socket) => void = () => undefined;
  readonly #onSocket: net.Server;
  readonly #onPort: net.Server;

  constructor(answer: Answer) {
    this.answer = answer;
    this.first = new Promise((resolve) => {
      this.#come = resolve;
    });
    this.#onSocket = net.createServer((connection) => {
      this.#accept(connection, undefined);
    });
    this.#onPort = net.createServer((connection) => {
      const nonce = randomBytes(32).toString("hex");
      this.#accept(connection, nonce);
      connection.write(this.greeting ?? line({ nonce }));
    });
  }

  async listen(socket: string): Promise<void> {
    await new Promise<void>((resolve) => void this.#onSocket.listen(socket, resolve));
    await new Promise<void>((resolve) => void this.#onPort.listen(0, "127.0.0.1", resolve));
    this.port = (this.#onPort.address() as net.AddressInfo).port;
  }

  close(): void {
    this.#onSocket.close();
    this.#onPort.close();
    for (const connection of this.connections) connection.destroy();
  }

  #accept(connection: net.Socket, nonce: string | undefined): void {
    this.connections.push(connection);
    this.#come(connection);
    connection.setNoDelay();
    connection.on("error", () => undefined);
    if (!this.isReading) return;
    let isProven = nonce === undefined;
    let text = "";
    connection.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const message of lines.map((one) => JSON.parse(one) as Message)) {
        if (isProven) {
          this.received.push(message);
          for (const reply of this.answer(message)) connection.write(line(reply));
        } else {
          isProven = this.#authenticate(connection, message, nonce ?? "");
        }
      }
    });
  }

  #authenticate(connection: net.Socket, message: Message, nonce: string): boolean {
    const params = message["params"] as { nonce: string; proof: string };
    const isRight = params.proof === proofOf(this.token, "client", nonce, params.nonce);
    if (message["method"] === "authenticate" && isRight) {
      const proof = this.prove(proofOf(this.token, "server", nonce, params.nonce));
      connection.write(line(result(message, { proof })));
      return true;
    }
    if (this.refusal === undefined) connection.destroy();
    else connection.end(line(failure(message, -32000, this.refusal)));
    return false;
  }
}

function line(reply: Reply): Buffer | string {
  return Buffer.isBuffer(reply) ? reply : `${JSON.stringify(reply)}\n`;
}
