import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { NOT_RUNNING, Server } from "../../src/client.ts";
import { Disposable, shownErrors } from "./vscode.ts";

/** As the library numbers them. */
const { Stopped, Running, Starting } = vi.hoisted(() => ({ Stopped: 1, Running: 2, Starting: 3 }));

/** Each client that was made, the newest last. */
const clients = vi.hoisted((): FakeClient[] => []);

interface FakeClient {
  readonly killed: string[];
  readonly disposed: boolean;
  /** The server says its first word. */
  answer: () => void;
  /** The server ends, and the client starts it again. */
  crash: () => void;
}

vi.mock("vscode-languageclient/node", () => ({
  CloseAction: { DoNotRestart: 1 },
  State: { Stopped, Running, Starting },
  TransportKind: { stdio: 0 },
  LanguageClient: class implements FakeClient {
    readonly killed: string[] = [];
    readonly serverProcess = { kill: (signal: string) => this.killed.push(signal) };
    disposed = false;
    state = Stopped;
    answer = (): void => undefined;
    #onStart: Promise<void> | undefined;
    readonly #listeners: ((change: { newState: number }) => void)[] = [];
    constructor() {
      clients.push(this);
    }
    createDefaultErrorHandler = () => ({});
    onDidChangeState = (listener: (change: { newState: number }) => void): number => this.#listeners.push(listener);
    start = (): Promise<void> => {
      if (this.#onStart !== undefined) return this.#onStart;
      this.#onStart = new Promise((resolve) => {
        this.answer = () => {
          this.#change(Running);
          resolve();
        };
      });
      this.#change(Starting);
      return this.#onStart;
    };
    crash = (): void => {
      this.#change(Stopped);
      this.#onStart = undefined;
      void this.start();
    };
    dispose = (): Promise<void> => {
      this.disposed = true;
      return this.state === Running ? Promise.resolve() : Promise.reject(new Error("it is not running"));
    };
    sendRequest = (method: string): Promise<string> => Promise.resolve(`answer to ${method}`);
    #change(newState: number): void {
      this.state = newState;
      for (const listener of this.#listeners) listener({ newState });
    }
  },
}));

const token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable(() => undefined) };

/** What a request comes to, once it has come to anything. */
function ask(server: Server): { outcome: string } {
  const asked = { outcome: "none" };
  server.request<string>("a", {}, token as unknown as vscode.CancellationToken).then(
    (answer) => { asked.outcome = answer; },
    (error: unknown) => { asked.outcome = (error as Error).message; },
  );
  return asked;
}

/** The newest client. */
function newest(): FakeClient {
  const client = clients.at(-1);
  if (client === undefined) throw new Error("no client was made");
  return client;
}

/** A server that has answered. */
async function running(): Promise<Server> {
  const attached = { flush: () => Promise.resolve(), dispose: () => undefined };
  const server = new Server({ extensionPath: "" } as vscode.ExtensionContext, () => attached);
  const restarted = server.restart();
  await vi.advanceTimersByTimeAsync(0);
  newest().answer();
  await restarted;
  return server;
}

beforeEach(() => {
  vi.useFakeTimers();
  shownErrors.length = 0;
  return () => { vi.useRealTimers(); };
});

test("a server that the client started again and that says nothing is waited for no longer than any other", async () => {
  const server = await running();
  const client = newest();
  client.crash();
  const asked = ask(server);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(asked.outcome).toBe("none");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.outcome).toBe(NOT_RUNNING);
  expect(client.killed).toEqual(["SIGKILL"]);
  expect(shownErrors).toEqual(["zubi: the language server did not start: it has said nothing for 20 seconds"]);
});

test("a server that was started again answers who has waited for it, and has its limit once more", async () => {
  const server = await running();
  for (let crashes = 0; crashes < 2; crashes += 1) {
    newest().crash();
    const asked = ask(server);
    await vi.advanceTimersByTimeAsync(15_000);
    newest().answer();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(asked.outcome).toBe("answer to a");
  }
  expect(newest().disposed).toBe(false);
  expect(shownErrors).toEqual([]);
});

test("starting it anew ends one that the client started again and that says nothing yet", async () => {
  const server = await running();
  const silent = newest();
  silent.crash();
  const asked = ask(server);
  const restarted = server.restart();
  await vi.advanceTimersByTimeAsync(0);
  expect(silent.killed).toEqual(["SIGKILL"]);
  newest().answer();
  await restarted;
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.outcome).toBe("answer to a");
  expect(shownErrors).toEqual([]);
});
