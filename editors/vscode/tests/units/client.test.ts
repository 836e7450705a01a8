import { execPath } from "node:process";
import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { NOT_RUNNING, Server } from "../../src/client.ts";
import { CancellationError, Disposable, settings } from "./vscode.ts";

/** The library's numbers. */
const { Stopped, Running, Starting } = vi.hoisted(() => ({ Stopped: 1, Running: 2, Starting: 3 }));

/** All created clients, the newest last, and the channel that a server reports. */
const made = vi.hoisted((): { clients: FakeClient[]; zubi?: object } => ({ clients: [] }));

interface FakeClient {
  readonly killed: string[];
  readonly disposed: boolean;
  /** The server answers `initialize`. */
  answer: () => void;
  /** The server closes its output before it has sent anything. */
  closeOutput: () => void;
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
    closeOutput = (): void => undefined;
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
        this.closeOutput = () => {
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
      // The library sends every argument.
      if (params.includes(undefined)) throw new Error("undefined would be sent");
      return method === "hang" ? new Promise(() => undefined) : Promise.resolve(`answer to ${method}`);
    };
  },
}));

const token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable(() => undefined) };

/** Sends a request; `outcome` is set when there is one. */
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

/** The reported reasons why servers do not run properly. */
const failures: string[] = [];

/** Starts a server that has answered. */
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

test("the client restarts a server that has ended, and the restart has the usual time-out", async () => {
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

test("a restarted server answers pending requests, and each restart has the full time-out", async () => {
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

test("a manual restart kills a server that is silent after an automatic restart", async () => {
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

test("the client kills a server that closes its output during its start", async () => {
  const server = await running();
  await newest().crash();
  await vi.advanceTimersByTimeAsync(0);
  const closed = newest();
  const result = request(server);
  closed.closeOutput();
  await vi.advanceTimersByTimeAsync(0);
  expect(closed.killed).toEqual(["SIGKILL"]);
  expect(result.outcome).toBe(NOT_RUNNING);
  expect(failures).toEqual(["the language server did not start: its output is closed"]);
});

test("after repeated crashes only a manual restart starts the server, and it resets the limit", async () => {
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
] as const)("the client reports an incompatible channel version, and DomainLang still works: %j", async ([zubi, expected]) => {
  if (zubi === undefined) delete made.zubi;
  else made.zubi = zubi;
  const server = await running();
  expect(failures).toEqual([expect.stringMatching(expected)]);
  const [tool, model] = [request(server, "zubi/tools/call"), request(server, "domainlang/list")];
  await vi.advanceTimersByTimeAsync(0);
  expect(tool.outcome).toMatch(expected);
  expect(model.outcome).toBe("answer to domainlang/list");
});

test("a restart ends the pending requests of a server that hangs", async () => {
  const server = await running();
  const result = request(server, "hang");
  await vi.advanceTimersByTimeAsync(0);
  expect(result.outcome).toBe("none");
  void server.restart();
  await vi.advanceTimersByTimeAsync(0);
  expect(result.outcome).toBe(NOT_RUNNING);
});

test("a request without a cancellation token sends only its parameters", async () => {
  const server = await running();
  await expect(server.request("a", {})).resolves.toBe("answer to a");
});

test("the client does not send a request that is already cancelled", async () => {
  const server = await running();
  const cancelled = { ...token, isCancellationRequested: true } as unknown as vscode.CancellationToken;
  await expect(server.request("a", {}, cancelled)).rejects.toBeInstanceOf(CancellationError);
});

test("a later restart or stop replaces a start that has not begun", async () => {
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

test("the client does not restart a server that was stopped", async () => {
  const server = await running();
  const client = newest();
  await server.stop();
  await client.crash();
  await vi.advanceTimersByTimeAsync(0);
  expect(newest()).toBe(client);
  expect(client.disposed).toBe(true);
});
