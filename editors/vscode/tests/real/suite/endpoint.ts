// The editor as an endpoint: the code tools answer from TypeScript's own extension, and every method that no tool uses
// answers in LSP's shapes.
import * as assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { attachEndpoint } from "../../../src/endpoint.ts";
import type { Internals } from "../../../src/extension.ts";
import { TOOLS_CALL, type ToolsCallResult } from "../../../src/protocol.ts";
import { type Case, file } from "./harness.ts";

const REPORT = "web/src/report.ts";
const SHAPE = "web/src/shape.ts";
const TOTAL = { at: `${REPORT}:8:15` };

/** A tool, its arguments, and lines that its answer must contain, in this order. */
type Row = readonly [tool: string, args: object, ...lines: (string | RegExp)[]];

const EDITOR = /^\[editor · readiness unknown/m;
const TOOLS: readonly Row[] = [
  ["lsp_definition", TOTAL, "1 definition of `totalArea`", SHAPE, "  29:17  export function totalArea("],
  ["lsp_references", TOTAL, "3 references to `totalArea` in 2 files", REPORT, "  2:29  import", "  8:15  ", SHAPE, "  29:17  export", "(declaration)"],
  ["lsp_references", { ...TOTAL, includeDeclaration: false }, "2 references to `totalArea` in 1 file", "  2:29  import", "  8:15  ", "[editor · ready]"],
  ["lsp_references", { symbol: "Circle" }, "at web/src/shape.ts:8:14 Circle (class)", "references to `Circle` in 2 files"],
  ["lsp_hover", TOTAL, "totalArea(first: Shape, second: Shape, scale: number): number", "The area of two shapes together"],
  ["lsp_completion", { at: `${REPORT}:8:61` }, "1 completion", "area (method)"],
  ["lsp_signature_help", { at: `${REPORT}:8:34` }, "totalArea(first: Shape, second: Shape, scale: number): number", "second: Shape"],
  ["lsp_workspace_symbols", { query: "totalArea" }, "1 symbol matching `totalArea`", "function totalArea  web/src/shape.ts:29:17"],
  ["lsp_document_symbols", { path: SHAPE }, "interface Shape", "method area", "class Circle", "class Rectangle", "function totalArea"],
  ["lsp_rename_symbol", { symbol: "totalArea", newName: "sumArea" }, "--- a/web/src/report.ts", "--- a/web/src/shape.ts", "+export function sumArea("],
  ["lsp_rename_symbol", { at: `${SHAPE}:30:3`, newName: "x" }, "You cannot rename this element."],
  ["lsp_code_actions", { path: REPORT, context: { only: ["source.organizeImports", "refactor.move"] } }, "Organize Imports (source.organizeImports)", /a-\w{10} Move to a new file \(refactor.move.newFile\): 3 edits in 2 files/],
  ["lsp_format_document", { path: "web/src/messy.ts" }, "+export function twice(value: number): number {"],
  // TypeScript's extension checks only visible files; the answer reports that this one was not checked.
  ["lsp_diagnostics", { path: "web/src/broken.ts" }, "may be incomplete: editor has not checked the present text yet"],
  ["lsp_implementations", { at: `${SHAPE}:2:18` }, "  8:14  export class Circle", "  17:14  export class Rectangle"],
  ["lsp_type_definition", { at: `${REPORT}:6:9` }, "  8:14  export class Circle"],
  ["lsp_call_hierarchy", { ...TOTAL, direction: "incoming", depth: 2 }, "describe"],
  ["lsp_call_hierarchy", { at: `${REPORT}:5:17`, direction: "outgoing" }, "Circle", "totalArea"],
  // TypeScript's extension has no type hierarchy.
  ["lsp_type_hierarchy", { at: `${SHAPE}:8:14`, direction: "supertypes" }, "it is not a type known to the server", EDITOR],
  ["lsp_explain", TOTAL, "totalArea", "describe"],
];

const PAGE = `<!doctype html><html><head><link rel="stylesheet" href="style.css"></head>
<body>
<p>one
</p></body></html>`;
const STYLE = "p {\n  color: #ff0000;\n  background: url(page.html);\n}\n";

/** A method, its document and other parameters, a value read from its result, and the expected value. */
type Direct = readonly [method: string, uri: string, params: object, check: (answer: never) => unknown, expected: unknown];

const position = (line: number, character: number): object => ({ line, character });
const range = (line: number, from: number, to: number): object => ({ start: position(line, from), end: position(line, to) });
const WHOLE = { range: { start: position(0, 0), end: position(31, 0) } };
const AREA = { position: position(7, 15) };

/** The rows of the table that no tool uses. */
const DIRECT: readonly Direct[] = [
  ["textDocument/declaration", REPORT, AREA, (found) => found, []],
  ["textDocument/documentHighlight", REPORT, AREA, (found: { kind: number }[]) => found.map(({ kind }) => kind), [3, 2]],
  ["textDocument/codeLens", REPORT, {}, (found: object[]) => found, []],
  ["textDocument/prepareRename", REPORT, AREA, (found) => found, { range: range(7, 15, 24), placeholder: "totalArea" }],
  ["textDocument/rangeFormatting", "web/src/messy.ts", { ...WHOLE, range: range(1, 0, 48), options: { tabSize: 2, insertSpaces: true } }, (found: object[]) => found.length > 0, true],
  ["textDocument/onTypeFormatting", "web/src/messy.ts", { position: position(3, 1), ch: "}", options: { tabSize: 2, insertSpaces: true } }, (found: object[]) => found.length > 0, true],
  ["textDocument/prepareTypeHierarchy", SHAPE, { position: position(7, 14) }, (found) => found, []],
  ["textDocument/inlayHint", REPORT, WHOLE, (found) => found, []],
  ["textDocument/semanticTokens/full", SHAPE, {}, (found: { data: number[]; legend: { tokenTypes: string[] } }) => [found.data.length > 20, found.data.length % 5, found.legend.tokenTypes.includes("class")], [true, 0, true]],
  ["textDocument/semanticTokens/range", SHAPE, WHOLE, (found: { data: number[]; legend: { tokenTypes: string[] } }) => [found.data.length > 20, found.legend.tokenTypes.includes("class")], [true, true]],
  ["textDocument/foldingRange", SHAPE, {}, (found: { startLine: number; endLine: number; kind?: string }[]) => found.find(({ startLine }) => startLine === 7)?.endLine, 12],
  ["textDocument/selectionRange", REPORT, { positions: [position(7, 15)] }, (found: { range: object; parent?: { range: object } }[]) => [found.length, found[0]?.range, found[0]?.parent?.range], [1, range(7, 15, 20), range(7, 15, 24)]],
  ["textDocument/documentLink", "web/page.html", {}, (found: { target?: string }[]) => found.some(({ target }) => target?.endsWith("/web/style.css")), true],
  ["textDocument/documentColor", "web/style.css", {}, (found) => found, [{ range: range(1, 9, 16), color: { red: 1, green: 0, blue: 0, alpha: 1 } }]],
  ["textDocument/colorPresentation", "web/style.css", { color: { red: 1, green: 0, blue: 0, alpha: 1 }, range: range(1, 9, 16) }, (found: { label: string }[]) => found.map(({ label }) => label).includes("rgb(255, 0, 0)"), true],
  ["textDocument/documentSymbol", "web/page.html", {}, (found: { name: string; children: { name: string }[] }[]) => found.map(({ name, children }) => [name, children.map((child) => child.name)]), [["html", ["head", "body"]]]],
  ["textDocument/inlineValue", REPORT, { range: range(5, 0, 20), context: { frameId: 0, stoppedLocation: range(5, 0, 20) } }, (found) => found, []],
];

export const endpoint: readonly Case[] = [
  {
    name: "the code tools answer from the editor",
    body: async () => {
      await check(TOOLS);
    },
  },
  {
    name: "a visible file has diagnostics and quick fixes",
    body: async () => {
      await vscode.window.showTextDocument(file("web/src/broken.ts"));
      await check([
        ["lsp_diagnostics", { path: "web/src/broken.ts" }, "3:14", "Cannot find name 'Rectangle'."],
        ["lsp_code_actions", { at: "web/src/broken.ts:3:14", context: { only: ["quickfix"] } }, 'Add import from "./shape.js" (quickfix): 1 edit in 1 file  preferred'],
      ]);
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    },
  },
  {
    name: "positions refer to the unsaved text",
    body: async () => {
      const editor = await vscode.window.showTextDocument(file(REPORT));
      assert.ok(await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), "// Typed, not saved.\nconst twice = totalArea;\n"); }));
      await check([
        ["lsp_definition", { at: `${REPORT}:10:15` }, "1 definition of `totalArea`", SHAPE, "  29:17  export function totalArea("],
        ["lsp_references", { symbol: "totalArea" }, "4 references to `totalArea` in 2 files", "  2:15  const twice = totalArea;", "  4:29  import", "  10:15  "],
        ["lsp_hover", { at: `${REPORT}:2:7` }, "const twice: (first: Shape, second: Shape, scale: number) => number"],
        ["lsp_document_symbols", { path: REPORT }, "twice", "describe"],
        ["lsp_rename_symbol", { symbol: "totalArea", newName: "sumArea" }, "+const twice = sumArea;"],
      ]);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    },
  },
  {
    name: "the editor answers every other method in LSP's shapes",
    body: async () => {
      await vscode.workspace.fs.writeFile(file("web/page.html"), new TextEncoder().encode(PAGE));
      await vscode.workspace.fs.writeFile(file("web/style.css"), new TextEncoder().encode(STYLE));
      const request = direct();
      const wrong: string[] = [];
      for (const [method, path, more, summarize, expected] of DIRECT) {
        const params = { textDocument: { uri: file(path).toString() }, ...more };
        const answer = await request(method, params).catch((error: unknown) => String(error));
        if (!isDeepStrictEqual(summarize(answer as never), expected)) wrong.push(`${method} answers ${JSON.stringify(answer).slice(0, 1000)}`);
      }
      assert.deepEqual(wrong, []);
    },
  },
];

/** The text of a tool's answer. */
async function call(id: string, args: object): Promise<string> {
  const extension = vscode.extensions.getExtension<Internals>("zubi.zubi");
  const { server } = (await extension?.activate()) ?? {};
  assert.ok(server, "the extension shows its server to its tests");
  const { token } = new vscode.CancellationTokenSource();
  return (await server.request<ToolsCallResult>(TOOLS_CALL, { id, args }, token)).text;
}

/** Calls these tools one after the other. */
async function check(rows: readonly Row[]): Promise<void> {
  const wrong: string[] = [];
  for (const [tool, args, ...parts] of rows) {
    const text = await call(tool, args);
    const lacking = missing(text, parts);
    if (lacking !== undefined) wrong.push(`${tool} ${JSON.stringify(args)} lacks ${String(lacking)}:\n${text}`);
  }
  assert.deepEqual(wrong, []);
}

/** Returns the first part that the text lacks after the previous parts. */
function missing(text: string, parts: readonly (string | RegExp)[]): string | RegExp | undefined {
  let rest = text;
  return parts.find((part) => {
    const at = typeof part === "string" ? rest.indexOf(part) : rest.search(part);
    rest = rest.slice(Math.max(at, 0) + (typeof part === "string" ? part.length : 0));
    return at < 0;
  });
}

/** Calls the methods of the table without a server. */
function direct(): (method: string, params: object) => Promise<unknown> {
  type Handler = (request: { method: string; params: object }, token: vscode.CancellationToken) => Promise<unknown>;
  const handlers: Handler[] = [];
  const client = {
    onRequest: (_method: string, handler: Handler) => {
      handlers.push(handler);
      return new vscode.Disposable(() => undefined);
    },
    protocol2CodeConverter: { asUri: (uri: string) => vscode.Uri.parse(uri) },
  };
  attachEndpoint(client as never);
  const { token } = new vscode.CancellationTokenSource();
  return async (method, params) => handlers[0]?.({ method, params }, token);
}
