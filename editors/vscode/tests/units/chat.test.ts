import { readFileSync } from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import { Chat } from "../../src/chat.ts";
import { answer, commandResults, Disposable, edits, EventEmitter, shownErrors, Uri } from "./vscode.ts";

vi.mock("vscode-languageclient/node", () => ({ State: { Stopped: 1, Running: 2, Starting: 3 } }));

const PAGE = readFileSync(`${import.meta.dirname}/../../../../crates/zubi-web/page/index.html`, "utf8");

/** The requests to the server, its responses, and its own requests. */
const requests: unknown[] = [];
let answers: (method: string) => unknown;
let forward: (params: unknown) => unknown;
let changeState: (event: { newState: number }) => void;

/** A view, and the messages to its page. */
function view(): { view: vscode.WebviewView; posted: unknown[]; receive: (data: object) => Promise<void>; show: (visible: boolean) => void; html: () => string } {
  const posted: unknown[] = [];
  const [messages, visibility] = [new EventEmitter<unknown>(), new EventEmitter<unknown>()];
  const webview = {
    html: "",
    cspSource: "https://own",
    asWebviewUri: (uri: unknown) => String(uri).replace("file:", "https:"),
    onDidReceiveMessage: messages.event,
    postMessage: (message: unknown) => Promise.resolve(posted.push(message) > 0),
  };
  const view = { webview, visible: true, onDidChangeVisibility: visibility.event, onDidDispose: () => new Disposable() };
  return {
    view: view as unknown as vscode.WebviewView,
    posted,
    // The request takes a few microtasks.
    receive: async (data) => {
      messages.fire(data);
      await new Promise((resolve) => { setImmediate(resolve); });
    },
    show: (visible) => {
      view.visible = visible;
      visibility.fire(undefined);
    },
    html: () => webview.html,
  };
}

let chat: Chat;

beforeEach(() => {
  requests.length = shownErrors.length = 0;
  delete answer.button;
  answers = (method) => ({ method });
  edits.disk.set("file:///page/index.html", PAGE);
  const request = (_: string, { method, params }: { method: string; params: unknown }): Promise<unknown> => {
    requests.push([method, params]);
    return Promise.resolve().then(() => answers(method));
  };
  chat = new Chat({ request } as never, Uri.parse("file:///page") as vscode.Uri);
  chat.attach({
    onRequest: (_: string, handler: (params: unknown) => unknown) => {
      forward = handler;
      return new Disposable();
    },
    onDidChangeState: (handler: typeof changeState) => {
      changeState = handler;
      return new Disposable();
    },
  } as unknown as LanguageClient);
  commandResults.set("zubi.chat.focus", () => undefined);
});

test("the view shows the page of zubi web with a strict content security policy", async () => {
  const { view: shown, html } = view();
  await chat.resolveWebviewView(shown);
  expect(html()).toContain("<base href=\"https:///page/\">");
  expect(html()).toContain("default-src 'none'; script-src https://own; style-src https://own;");
  expect(html()).not.toMatch(/unsafe|https?:\/\/(?!own|\/page)/);
  expect(html()).toMatch(/<script type="module" src="app\.js">/);
  expect(shown.webview.options).toMatchObject({ enableScripts: true, localResourceRoots: [{ scheme: "file" }] });
});

test("the chat forwards the page's requests and returns results and errors", async () => {
  const { view: shown, posted, receive } = view();
  await chat.resolveWebviewView(shown);
  await receive({ ready: true });
  await receive({ id: 1, method: "open", params: { conversation: "c" } });
  answers = () => { throw new Error("There is none."); };
  await receive({ id: 2, method: "stop", params: {} });
  expect(requests).toEqual([["open", { conversation: "c" }], ["stop", {}]]);
  expect(posted).toEqual([{ fresh: true }, { id: 1, result: { method: "open" } }, { id: 2, error: "There is none." }]);
});

test("only a visible page that is ready receives events", async () => {
  const { view: shown, posted, receive, show } = view();
  expect(forward({ isFresh: true, told: [1] })).toBeNull();
  await chat.resolveWebviewView(shown);
  forward({ isFresh: true, told: [2] });
  await receive({ ready: true });
  forward({ isFresh: true, told: [3, 4] });
  changeState({ newState: State.Stopped });
  changeState({ newState: State.Starting });
  changeState({ newState: State.Running });
  show(false);
  forward({ isFresh: false, told: [5] });
  show(true);
  forward({ isFresh: false, told: [6] });
  const away = "The zubi language server does not run.";
  expect(posted).toEqual([{ fresh: true }, { fresh: true }, { told: 3 }, { told: 4 }, { away }, { fresh: true }]);
});

test("a command waits until the page is ready", async () => {
  const { view: shown, posted, receive } = view();
  await chat.execute({ do: "new" });
  await chat.execute({ do: "focus" });
  await chat.resolveWebviewView(shown);
  expect(posted).toEqual([]);
  await receive({ ready: true });
  await chat.execute({ do: "new" });
  expect(posted).toEqual([{ fresh: true }, { wish: { do: "focus" } }, { wish: { do: "new" } }]);
});

test("if the chat is hidden, a notification without links announces a pending approval prompt", async () => {
  const { view: shown, posted, receive, show } = view();
  const waits = { conversation: "c", text: "[a](command:b) wants to run" };
  await chat.resolveWebviewView(shown);
  await receive({ ready: true });
  forward({ isFresh: false, told: [], waits });
  expect(shownErrors).toEqual([]);
  show(false);
  answer.button = "Show in Chat";
  forward({ isFresh: false, told: [], waits });
  expect(shownErrors).toEqual(["[a] (command:b) wants to run"]);
  show(true);
  await receive({ ready: true });
  expect(posted.at(-1)).toEqual({ wish: { do: "open", conversation: "c" } });
});

test("stop ends every running or waiting conversation and no other", async () => {
  const states = { a: "idle", b: "running", c: "waiting", d: "elsewhere" };
  answers = (method) => method === "conversations" && { conversations: Object.entries(states).map(([id, state]) => ({ id, state })) };
  await chat.stop();
  expect(requests).toEqual([["conversations", {}], ["stop", { conversation: "b" }], ["stop", { conversation: "c" }]]);
});
