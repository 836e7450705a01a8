import { expect, test } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import { attach, channelOptions } from "../../src/channel.ts";
import { answer, CancellationTokenSource, commandResults, Disposable, document, Position, problems, Range, settings, shownErrors } from "./vscode.ts";

type Handler = (params: unknown, token: unknown) => unknown;

/** The messages to the server, and an event for its start. */
const notifications: [method: string, params: unknown][] = [];
let started = (): void => undefined;

/** Sends a request of the server to an attached client; returns the response. */
const request = ((): ((method: string, params: unknown) => Promise<unknown>) => {
  const handlers = new Map<string, Handler>();
  const client = {
    onDidChangeState: (changed: () => void) => {
      started = changed;
      return new Disposable(() => undefined);
    },
    isRunning: () => true,
    sendNotification: (method: string, params: unknown) => {
      notifications.push([method, params]);
      return Promise.resolve();
    },
    onRequest: (method: string, handler: Handler) => {
      handlers.set(method, handler);
      return new Disposable(() => handlers.delete(method));
    },
    protocol2CodeConverter: {
      asUri: (uri: string) => (uri.startsWith("file:///open") ? document(uri.slice(7)).uri : uri),
      asPosition: ({ line, character }: Position) => new Position(line, character),
    },
    code2ProtocolConverter: { asUri: (uri: string) => uri, asRange: (range: Range) => range, asDiagnostic: (item: unknown) => item },
  };
  attach(client as unknown as LanguageClient, []);
  const { token } = new CancellationTokenSource();
  return (method, params) => Promise.resolve().then(() => handlers.get(method)?.(params, token));
})();

test("channelOptions contains the editor's methods and the settings", () => {
  const { editorMethods, ...rest } = channelOptions();
  expect(editorMethods).toEqual(expect.arrayContaining(["textDocument/definition", "zubi/validate", "zubi/editor/command"]));
  expect(rest).toEqual({
    editorProtocol: 1,
    ipcPort: 9847,
    headlessFallback: false,
    isTrusted: true,
    autoApprove: false,
    toolFilter: [],
    env: {},
    allowedCommands: [],
    useMockLLM: false,
    model: "gpt-4o",
    maxIterations: 20,
  });
  settings.set("zubi.headlessFallback", true);
  expect(channelOptions()).toMatchObject({ headlessFallback: true });
  settings.delete("zubi.headlessFallback");
  settings.set("zubi.ipcPort", 4000);
  expect(channelOptions()).toMatchObject({ ipcPort: 4000 });
  settings.delete("zubi.ipcPort");
});

test("the editor waits for the project, then answers a definition request in LSP's shapes", async () => {
  const response: string[] = [];
  const range = new Range(new Position(28, 16), new Position(28, 25));
  commandResults.set("vscode.executeDocumentSymbolProvider", () => [{}]);
  commandResults.set("vscode.executeTypeDefinitionProvider", () => { response.push("type"); });
  commandResults.set("vscode.executeDefinitionProvider", (uri, position) => {
    response.push(`${String(uri)} ${JSON.stringify(position)}`);
    return [{ uri: "file:///b.ts", range }];
  });
  const params = { textDocument: { uri: "file:///a.ts" }, position: { line: 7, character: 15 } };
  expect(await request("zubi/editor/request", { method: "textDocument/definition", params })).toEqual([
    { uri: "file:///b.ts", range },
  ]);
  expect(response).toEqual(["type", 'file:///a.ts {"line":7,"character":15}']);
});

test("the editor refuses an unknown method with LSP's error code", async () => {
  const refused = request("zubi/editor/request", { method: "textDocument/moniker", params: {} });
  await expect(refused).rejects.toMatchObject({ code: -32601, message: "the editor does not answer textDocument/moniker" });
});

test("a command runs with its arguments; a result of undefined becomes null", async () => {
  commandResults.set("add", (a, b) => Number(a) + Number(b));
  commandResults.set("nothing", () => undefined);
  expect(await request("zubi/editor/command", { command: "add", args: [2, 40] })).toBe(42);
  expect(await request("zubi/editor/command", { command: "nothing", args: [] })).toBeNull();
  const circle: { itself?: object } = {};
  commandResults.set("circle", () => Object.assign(circle, { itself: circle }));
  await expect(request("zubi/editor/command", { command: "circle", args: [] })).rejects.toThrow("circular");
  await expect(request("zubi/editor/command", { command: "missing", args: [] })).rejects.toThrow("command 'missing' not found");
});

test("the editor returns its diagnostics in LSP's shapes", async () => {
  const { uri } = document("/open.toy");
  problems.set(uri.toString(), { uri, items: ["bad"] });
  const params = { textDocument: { uri: uri.toString() } };
  expect(await request("zubi/editor/request", { method: "textDocument/diagnostic", params })).toEqual({
    kind: "full", items: ["bad"], isOpen: false, isCurrent: false,
  });
  expect(await request("zubi/editor/request", { method: "workspace/diagnostic", params: { previousResultIds: [] } })).toEqual({
    items: [{ uri: "file:///open.toy", kind: "full", items: ["bad"] }],
  });
  problems.clear();
});

test("the editor sends its open files when a server starts and when `zubi.refreshViews` runs", async () => {
  notifications.length = 0;
  started();
  await Promise.resolve();
  const nothing = { active: null, open: [], diagnosticsUris: [] };
  expect(notifications).toEqual([["zubi/editor/didChange", nothing]]);
  expect(await request("zubi/editor/command", { command: "zubi.refreshViews", args: [] })).toBe(true);
  expect(notifications).toHaveLength(2);
});

test("a server that requests its restart receives an answer before the restart", async () => {
  const ran: string[] = [];
  commandResults.set("zubi.restart", () => { ran.push("restart"); });
  expect(await request("zubi/editor/command", { command: "zubi.restart", args: [] })).toBeNull();
  expect(ran).toEqual([]);
  await new Promise((resolve) => { setImmediate(resolve); });
  expect(ran).toEqual(["restart"]);
});

test("the editor reads a setting and writes it at the given scope", async () => {
  settings.set("a.b", 1);
  expect(await request("zubi/editor/config", { key: "a.b" })).toMatchObject({ key: "a.b", value: 1, workspace: 1, user: null });
  expect(await request("zubi/editor/config", { key: "a.c" })).toMatchObject({ key: "a.c", value: null });
  expect(await request("zubi/editor/config", { key: "a.b", value: 2 })).toMatchObject({ value: 2, workspace: 2 });
  expect(await request("zubi/editor/config", { key: "a.b", value: 3, scope: "user" })).toMatchObject({ value: 2, user: 3 });
});

test.each([
  ["Allow this call", 0],
  ["Allow always", 1],
  [undefined, null],
])("the approval prompt is answered with %s, and the choice is %s", async (chosen, choice) => {
  if (chosen === undefined) delete answer.button;
  else answer.button = chosen;
  const response = { title: "jira.create wants to run", detail: "  sandbox  none", options: ["Allow this call", "Allow always"] };
  expect(await request("zubi/approval/request", response)).toEqual({ choice });
  expect(shownErrors.at(-1)).toBe("jira.create wants to run\n  sandbox  none");
});
