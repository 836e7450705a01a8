// The editor's answers to `zubi lsp`, as they cross the channel.
import { beforeEach, expect, test, vi } from "vitest";
import { convert, newBudget } from "../../src/conversions.ts";
import { attachEndpoint, METHODS } from "../../src/endpoint.ts";
import table from "../../src/endpoint.json" with { type: "json" };
import { commandResults, EventEmitter, Position, Range } from "./vscode.ts";

type EndpointHandler = (request: { method: string; params: unknown }, token: object) => Promise<unknown>;

/** Sends requests to an endpoint as the server does. */
function endpoint(cancelled = new EventEmitter<void>()): (method: string, params: object) => Promise<unknown> {
  let request: EndpointHandler | undefined;
  const client = {
    onRequest: (_method: string, handler: EndpointHandler) => {
      request = handler;
      return { dispose: () => undefined };
    },
    protocol2CodeConverter: { asUri: (uri: string) => uri },
  };
  attachEndpoint(client as never);
  return (method, params) => request?.({ method, params }, { isCancellationRequested: false, onCancellationRequested: cancelled.event }) ?? Promise.reject(new Error("no handler is registered"));
}

const textDocument = { uri: "a.ts" };
const position = { line: 1, character: 2 };
const range = { start: position, end: { line: 1, character: 3 } };
const at = new Range(new Position(1, 2), new Position(1, 3));

/** Registers a command with this result; returns the arguments of its call. */
function registerCommand(command: string, result: unknown): { args: unknown[] } {
  const call = { args: [] as unknown[] };
  commandResults.set(`vscode.${command}`, (...args) => {
    call.args = args;
    return result;
  });
  return call;
}

beforeEach(() => {
  commandResults.clear();
  registerCommand("executeDocumentSymbolProvider", [{ name: "A", kind: 4, range: at, selectionRange: at }]);
});

test("every name in the table is a shape or a rule", () => {
  const budget = newBudget(() => ({}));
  const shapes = new Set(Object.keys(table.shapes));
  const rules = ["number", "uri", "flag", "text", "exact", "value", "symbolKind", "completionKind", "highlightKind", "foldingKind", "markup", "markedString",
    "name", "labelDetails", "insertText", "insertTextFormat", "label", "command", "item", "numbers", "textEdits", "workspaceEdit", "preview"];
  const names: string[] = [];
  JSON.stringify(Object.values(table.methods).map(({ result }) => result).concat(Object.values(table.shapes) as never[]), (_key, value: unknown) => {
    if (typeof value === "string") names.push(value.split(":").at(-1) ?? "");
    return value;
  });
  expect(names.filter((name) => !shapes.has(name) && !rules.includes(name))).toEqual([]);
  expect(convert("noSuchName", { any: 1 }, budget)).toEqual({});
  expect(METHODS).toHaveLength(Object.keys(table.methods).length + 3);
});

test.each([
  ["textDocument/definition", { position }, "executeDefinitionProvider", ["a.ts", new Position(1, 2)]],
  ["textDocument/completion", { position, context: { triggerKind: 2, triggerCharacter: "." } }, "executeCompletionItemProvider", ["a.ts", new Position(1, 2), "."]],
  ["textDocument/codeAction", { range, context: { diagnostics: [], only: ["quickfix"] } }, "executeCodeActionProvider", ["a.ts", at, "quickfix", 24]],
  ["textDocument/codeAction", { range, context: { diagnostics: [] } }, "executeCodeActionProvider", ["a.ts", at, undefined, 24]],
  ["textDocument/rename", { position, newName: "b" }, "executeDocumentRenameProvider", ["a.ts", new Position(1, 2), "b"]],
  ["textDocument/onTypeFormatting", { position, ch: "}", options: { tabSize: 2 } }, "executeFormatOnTypeProvider", ["a.ts", new Position(1, 2), "}", { tabSize: 2 }]],
  ["textDocument/selectionRange", { positions: [position] }, "executeSelectionRangeProvider", ["a.ts", [new Position(1, 2)]]],
  ["textDocument/inlineValue", { range, context: { frameId: 3, stoppedLocation: range } }, "executeInlineValueProvider", ["a.ts", at, { frameId: 3, stoppedLocation: at }]],
])("%s runs its command", async (method, params, command, expected) => {
  const call = registerCommand(command, undefined);
  expect(await endpoint()(method, { textDocument, ...params })).toBeNull();
  expect(call.args).toEqual(expected);
});

test("a request for workspace symbols needs no document", async () => {
  const call = registerCommand("executeWorkspaceSymbolProvider", [{ name: "A", kind: 4, containerName: "", location: { uri: "b.ts", range: at } }]);
  expect(await endpoint()("workspace/symbol", { query: "A" })).toMatchObject([{ name: "A", kind: 5, location: { uri: "b.ts" } }]);
  expect(call.args).toEqual(["A"]);
});

test("semantic tokens have their legend, and a truncated list has the number of omitted items", async () => {
  const legend = { tokenTypes: ["class"], tokenModifiers: [] };
  registerCommand("provideDocumentSemanticTokensLegend", legend);
  registerCommand("provideDocumentSemanticTokens", { data: Uint32Array.of(1, 2, 3, 4, 5) });
  const request = endpoint();
  expect(await request("textDocument/semanticTokens/full", { textDocument })).toEqual({ data: [1, 2, 3, 4, 5], legend });
  registerCommand("executeReferenceProvider", Array.from({ length: 5003 }, () => ({ uri: "a.ts", range: at })));
  const cut = await request("textDocument/references", { textDocument, position }) as unknown[];
  expect([cut.length, cut.at(-1)]).toEqual([5001, { leftOut: 3 }]);
});

test("hierarchy requests use the editor's own items, and an expired item is an error", async () => {
  const item = { name: "f", kind: 11, uri: "a.ts", range: at, selectionRange: at, _sessionId: "s" };
  const caller = { ...item, name: "g" };
  registerCommand("prepareCallHierarchy", [item]);
  const command = registerCommand("provideIncomingCalls", [{ from: caller, fromRanges: [at] }]);
  const request = endpoint();
  const prepare = async (): Promise<unknown> => (await request("textDocument/prepareCallHierarchy", { textDocument, position }) as unknown[])[0];
  const prepared = await prepare();
  expect(prepared).toMatchObject({ name: "f", data: { zubi: 1 } });
  const [call] = await request("callHierarchy/incomingCalls", { item: prepared }) as { from: unknown }[];
  expect(command.args[0]).toBe(item);
  await request("callHierarchy/incomingCalls", { item: call?.from });
  expect(command.args[0]).toBe(caller);
  for (let more = 0; more < 8; more += 1) await prepare();
  await expect(request("callHierarchy/incomingCalls", { item: prepared })).rejects.toThrow("does not know this item any more");
  await expect(request("callHierarchy/incomingCalls", { item: { data: "x" } })).rejects.toThrow("does not know this item any more");
});

test("an empty answer is an error if no provider serves the language; any other answer is returned", async () => {
  vi.useFakeTimers();
  registerCommand("executeDocumentSymbolProvider", undefined);
  registerCommand("executeHoverProvider", []);
  const request = endpoint();
  const unknown = { textDocument: { uri: "b.unknown" }, position };
  const response = expect(request("textDocument/hover", unknown)).rejects.toThrow("no provider in the editor serves this language");
  await vi.advanceTimersByTimeAsync(10_100);
  await response;
  vi.useRealTimers();
  registerCommand("executeDocumentHighlights", [{ range: at, kind: 0 }]);
  expect(await request("textDocument/documentHighlight", unknown)).toMatchObject([{ kind: 1 }]);
});

test("a declined rename returns the provider's reason; an unknown method has its own error code", async () => {
  commandResults.set("vscode.executeDocumentRenameProvider", () => { throw new Error("You cannot rename this element."); });
  const request = endpoint();
  await expect(request("textDocument/rename", { textDocument, position, newName: "b" })).rejects.toMatchObject({ code: -32803, message: "You cannot rename this element." });
  await expect(request("textDocument/none", {})).rejects.toMatchObject({ code: -32601, message: "the editor does not answer textDocument/none" });
});

test("a cancellation ends a request that a provider never answers", async () => {
  registerCommand("executeHoverProvider", new Promise(() => undefined));
  const cancelled = new EventEmitter<void>();
  const response = endpoint(cancelled)("textDocument/hover", { textDocument, position });
  cancelled.fire();
  await expect(response).rejects.toMatchObject({ code: -32803 });
});
