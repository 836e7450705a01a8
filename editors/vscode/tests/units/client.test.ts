import { execPath } from "node:process";
import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { NOT_RUNNING, Server } from "../../src/client.ts";
import { CancellationError, Disposable, settings } from "./vscode.ts";

/** As the library numbers them. */
const { Stopped, Running, Starting } = vi.hoisted(() => ({ Stopped: 1, Running: 2, Starting: 3 }));

/** Each client that was made, the newest last; and what a server says of its channel. */
const made = vi.hoisted((): { clients: FakeClient[]; zubi?: object } => ({ clients: [] }));

interface FakeClient {
  readonly killed: string[];
  readonly disposed: boolean;
  /** The server says its first word. */
  answer: () => void;
  /** The server closes its output before it has said anything. */
  hush: () => void;
  /** The server ends by itself. */
  crash: () => Promise<void>;
}

interface Options {
  readonly errorHandler: { closed(): Promise<{ action: number; handled: boolean }> };
}

vi.mock("vscode-languageclient/node", () => ({
  CloseAction: { DoNotRestart: 1, Restart: 2 },
  State: { Stopped, Running, Starting },
  Trace: { fromString: (text: string) => text },
  TransportKind: { stdio: 0 },
  LanguageClient: class implements FakeClient {
    readonly killed: string[] = [];
    serverProcess: object | undefined = { kill: (signal: string) => this.killed.push(signal) };
    readonly #options: Options;
    disposed = false;
    state = Stopped;
    initializeResult?: object;
    answer = (): void => undefined;
    hush = (): void => undefined;
    constructor(_id: string, _name: string, _run: object, options: Options) {
      this.#options = options;
      made.clients.push(this);
    }
    createDefaultErrorHandler = (limit: number) => {
      let ends = 0;
      return { closed: () => ((ends += 1) <= limit ? { action: 2 } : { action: 1, message: "it crashed too often" }) };
    };
    // As in the library, so that it can be overridden.
    createMessageTransports(): Promise<object> {
      return Promise.resolve({});
    }
    start = async (): Promise<void> => {
      this.state = Starting;
      await this.createMessageTransports();
      return new Promise((resolve, reject) => {
        this.hush = () => {
          this.state = Stopped;
          this.serverProcess = undefined;
          reject(new Error("its output is closed"));
        };
        this.answer = () => {
          this.state = Running;
          this.initializeResult = { capabilities: { experimental: { zubi: made.zubi } }, serverInfo: { version: "0.0.9" } };
          resolve();
        };
      });
    };
    crash = async (): Promise<void> => {
      expect(await this.#options.errorHandler.closed()).toMatchObject({ action: 1, handled: true });
      this.state = Stopped;
    };
    setTrace = (): Promise<void> => Promise.resolve();
    dispose = (): Promise<void> => {
      this.disposed = true;
      return this.state === Starting ? Promise.reject(new Error("it is not running")) : Promise.resolve();
    };
    sendRequest = (method: string, ...params: unknown[]): Promise<string> => {
      // The library sends all that it is given.
      if (params.includes(undefined)) throw new Error("undefined would be sent");
      return method === "hang" ? new Promise(() => undefined) : Promise.resolve(`answer to ${method}`);
    };
  },
}));

const token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable(() => undefined) };

/** The outcome of a request, once there is one. */
function request(server: Server, method = "a"): { outcome: string } {
  const result = { outcome: "none" };
  server.request<string>(method, {}, token as unknown as vscode.CancellationToken).then(
    (answer) => { result.outcome = answer; },
    (error: unknown) => { result.outcome = (error as Error).message; },
  );
  return result;
}

/** The newest client. */
function newest(): FakeClient {
  const client = made.clients.at(-1);
  if (client === undefined) throw new Error("no client was made");
  return client;
}

/** The reasons why servers do not run properly. */
const failures: string[] = [];

/** A server that has answered. */
async function running(): Promise<Server> {
  const attached = { flush: () => Promise.resolve(), dispose: () => undefined };
  const server = new Server("", () => attached, (problem) => failures.push(problem));
  const restarted = server.restart();
  await vi.advanceTimersByTimeAsync(0);
  newest().answer();
  await restarted;
  return server;
}

beforeEach(() => {
  vi.useFakeTimers();
  settings.set("zubi.server.path", execPath);
  made.zubi = { editorProtocol: 1, version: "0.1.0" };
  failures.length = 0;
  return () => {
    vi.useRealTimers();
    settings.clear();
  };
});

test("a server that has ended is started again, and one that then says nothing is waited for no longer than any other", async () => {
  const server = await running();
  await newest().crash();
  const result = request(server);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(result.outcome).toBe("none");
  const client = newest();
  await vi.advanceTimersByTimeAsync(1);
  expect(result.outcome).toBe(NOT_RUNNING);
  expect(client.killed).toEqual(["SIGKILL"]);
  expect(failures).toEqual(["the language server did not start: it has sent nothing for 20 seconds"]);
});

test("a server that was started again answers who has waited for it, and has its limit once more", async () => {
  const server = await running();
  for (let crashes = 0; crashes < 2; crashes += 1) {
    await newest().crash();
    const result = request(server);
    await vi.advanceTimersByTimeAsync(15_000);
    newest().answer();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(result.outcome).toBe("answer to a");
  }
  expect(newest().disposed).toBe(false);
  expect(failures).toEqual([]);
});

test("starting it anew ends one that was started again and that says nothing yet", async () => {
  const server = await running();
  await newest().crash();
  await vi.advanceTimersByTimeAsync(0);
  const silent = newest();
  const result = request(server);
  const restarted = server.restart();
  await vi.advanceTimersByTimeAsync(0);
  expect(silent.killed).toEqual(["SIGKILL"]);
  newest().answer();
  await restarted;
  await vi.advanceTimersByTimeAsync(0);
  expect(result.outcome).toBe("answer to a");
  expect(failures).toEqual([]);
});

test("a server that closes its output while it starts is ended", async () => {
  const server = await running();
  await newest().crash();
  await vi.advanceTimersByTimeAsync(0);
  const mute = newest();
  const result = request(server);
  mute.hush();
  await vi.advanceTimersByTimeAsync(0);
  expect(mute.killed).toEqual(["SIGKILL"]);
  expect(result.outcome).toBe(NOT_RUNNING);
  expect(failures).toEqual(["the language server did not start: its output is closed"]);
});

test("a server that ends over and over stays away until somebody starts it, and then has all its chances again", async () => {
  const server = await running();
  for (const expected of ["answer to a", "answer to a", "answer to a", "answer to a", NOT_RUNNING]) {
    await newest().crash();
    await vi.advanceTimersByTimeAsync(0);
    newest().answer();
    const result = request(server);
    await vi.advanceTimersByTimeAsync(0);
    expect(result.outcome).toBe(expected);
  }
  expect(failures).toEqual(["it crashed too often"]);
  const clients = made.clients.length;
  void server.restart();
  await vi.advanceTimersByTimeAsync(0);
  newest().answer();
  await vi.advanceTimersByTimeAsync(0);
  await newest().crash();
  await vi.advanceTimersByTimeAsync(0);
  expect(made.clients.length).toBe(clients + 2);
});

test.for([
  [undefined, /^\S+ \(0\.0\.9\) is too old for this extension, so only DomainLang works\. Update the program/],
  [{ editorProtocol: 0, version: "0.0.1" }, /^\S+ \(0\.0\.1\) is too old for this extension/],
  [{ editorProtocol: 2, version: "0.2.0" }, /^this extension is too old for \S+ \(0\.2\.0\), so only DomainLang works\. Update the extension, /],
] as const)("a program with another channel is told, and DomainLang works: %j", async ([zubi, expected]) => {
  if (zubi === undefined) delete made.zubi;
  else made.zubi = zubi;
  const server = await running();
  expect(failures).toEqual([expect.stringMatching(expected)]);
  const [tool, model] = [request(server, "zubi/tools/call"), request(server, "domainlang/list")];
  await vi.advanceTimersByTimeAsync(0);
  expect(tool.outcome).toMatch(expected);
  expect(model.outcome).toBe("answer to domainlang/list");
});

test("who has asked a server that hangs hears of its end", async () => {
  const server = await running();
  const result = request(server, "hang");
  await vi.advanceTimersByTimeAsync(0);
  expect(result.outcome).toBe("none");
  void server.restart();
  await vi.advanceTimersByTimeAsync(0);
  expect(result.outcome).toBe(NOT_RUNNING);
});

test("a question that nobody can take back has its parameters and nothing else", async () => {
  const server = await running();
  await expect(server.request("a", {})).resolves.toBe("answer to a");
});

test("a question that was taken back before the server was there is not sent", async () => {
  const server = await running();
  const cancelled = { ...token, isCancellationRequested: true } as unknown as vscode.CancellationToken;
  await expect(server.request("a", {}, cancelled)).rejects.toBeInstanceOf(CancellationError);
});

test("a start that was given up before it began is not begun", async () => {
  const server = await running();
  const clients = made.clients.length;
  void server.restart();
  void server.restart();
  await vi.advanceTimersByTimeAsync(0);
  expect(made.clients.length).toBe(clients + 1);
  newest().answer();
  await vi.advanceTimersByTimeAsync(0);
  void server.restart();
  await server.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(made.clients.length).toBe(clients + 1);
});

test("a server that was stopped is not started again", async () => {
  const server = await running();
  const client = newest();
  await server.stop();
  await client.crash();
  await vi.advanceTimersByTimeAsync(0);
  expect(newest()).toBe(client);
  expect(client.disposed).toBe(true);
});
