// Every tool of the manifest, called as a language model's client calls it, in TypeScript, Python and DomainLang.
import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import { callTool, type Case, declared, file, named, until } from "./harness.ts";

/** The texts of earlier answers, by tool. */
type Earlier = ReadonlyMap<string, string>;

/** A tool (by its id), its arguments, and texts that its answer must contain, in this order. */
type Row = readonly [tool: string, input: object | ((earlier: Earlier) => object), ...parts: (string | RegExp)[]];

const REPORT = "web/src/report.ts";
const SHAPE = "web/src/shape.ts";

/** Calls of the tools that read or plan. */
const LOOKING: readonly Row[] = [
  ["lsp_definition", { at: `${REPORT}:8:15` }, `at ${REPORT}:8:15 totalArea`, `\n${SHAPE}\n  29:17  export function totalArea(`],
  ["lsp_references", { at: `${SHAPE}:29:17` }, "3 references to `totalArea` in 2 files", REPORT, "8:15", SHAPE, "(declaration)"],
  ["lsp_hover", { at: `${REPORT}:8:15` }, "(alias) totalArea(first: Shape, second: Shape, scale: number): number", "The area of two shapes"],
  ["lsp_completion", { at: `${REPORT}:8:58` }, "area (method)", "radius"],
  ["lsp_signature_help", { at: `${REPORT}:8:34` }, "totalArea(first: Shape, second: Shape, scale: number): number", "parameter: second: Shape"],
  ["lsp_workspace_symbols", { query: "totalArea" }, "function totalArea", `${SHAPE}:29:17`],
  ["lsp_document_symbols", { path: SHAPE }, "interface Shape", "class Rectangle", "method area", "function totalArea"],
  ["read_symbol", { symbol: "totalArea" }, `${SHAPE}:28  function totalArea`, "29  export function totalArea("],
  ["lsp_call_hierarchy", { at: `${SHAPE}:29:17`, direction: "incoming" }, "describe", `${REPORT}:5`],
  ["lsp_implementations", { at: `${SHAPE}:2:18` }, SHAPE, "8:14", "17:14"],
  ["lsp_type_definition", { at: `${REPORT}:6:9` }, SHAPE, "8:14  export class Circle"],
  ["editor", { command: "validate_file", path: "web/src/broken.ts" }, "3:14", "Cannot find name 'Rectangle'"],
  ["lsp_diagnostics", { path: "web/src/broken.ts" }, "3:14", "Cannot find name 'Rectangle'", "2304"],
  ["lsp_rename_symbol", { at: `${SHAPE}:29:17`, newName: "sumArea" }, "nothing is written yet", `+++ b/${REPORT}`, "sumArea(circle", `+++ b/${SHAPE}`, "+export function sumArea("],
  ["lsp_code_actions", { path: "web/src/broken.ts", range: { start: { line: 2, character: 13 }, end: { line: 2, character: 22 } } }, /a-\w{10} Add import from "\.\/shape(\.js)?"/],
  ["lsp_format_document", { path: "web/src/messy.ts" }, "nothing is written yet", "+export function twice(value: number): number {"],
  ["edit_symbol", { symbol: "totalArea", action: "insert_before", text: "export const SCALE = 2;" }, "nothing is written yet", `+++ b/${SHAPE}`, "+export const SCALE = 2;"],
  ["edit_files", { edits: [{ path: REPORT, old: "circle", new: "round", all: true }] }, "nothing is written yet", `+++ b/${REPORT}`],
  ["replace_in_files", { pattern: "totalArea", replacement: "sumArea", glob: "web/src" }, "nothing is written yet", "totalArea", "→", "sumArea"],
  ["domainlang_validate", {}, '{"valid":false,', '"file":"broken/'],
  ["domainlang_list", { type: "teams" }, '{"entityType":"teams","count":', "Storefront"],
  ["domainlang_get", { fqn: "Catalog" }, '{"found":true,', '"effectiveTeam":"Storefront"'],
  ["domainlang_explain", { fqn: "Catalog" }, '"type":"BoundedContext"', "What the shop has to offer"],
  ["domainlang_search", { query: "Catalog" }, "Catalog"],
  ["domainlang_diagram", { fqn: "ShopIntegrations" }, "Catalog"],
  ["editor", { command: "status" }, "is connected", "host: editor", "/project"],
  ["get_setting", { key: "editor.tabSize" }, "editor.tabSize", "4"],
  ["find_tools", { query: "count the words of a text" }, "words.count"],
];

/** Calls of the tools that write, and their undo; each call uses the previous answer. */
const WRITING: readonly Row[] = [
  ["apply_edit", (earlier) => ({ plan: id("p", earlier.get("lsp_format_document")) }), "web/src/messy.ts"],
  ["undo_edit", (earlier) => ({ plan: id("p", earlier.get("apply_edit")) }), "web/src/messy.ts"],
  ["rename_symbol", { uri: REPORT, originalName: "forgotten", newName: "remembered" }, REPORT, "remembered"],
];

/** Calls of the tools that change settings, run something, or change several files. */
const MOVING: readonly Row[] = [
  ["organize_imports", { uri: REPORT }, REPORT],
  ["rename_file", { oldUri: SHAPE, newUri: "web/src/shapes.ts" }, "web/src/shapes.ts", REPORT],
  ["set_setting", { key: "editor.tabSize", value: 2 }, "editor.tabSize", "2"],
  ["set_update_imports_setting", { value: "always" }, "always"],
  ["call_tool", { tool: "workspace.greet", arguments: { name: "Ada" } }, "Hello, Ada"],
];

export const everything: readonly Case[] = [
  {
    name: "VS Code offers every tool of the manifest with its schema and tags",
    body: async () => {
      const offered = new Map(vscode.lm.tools.map((tool) => [tool.name, tool]));
      for (const { name, modelDescription, inputSchema, tags } of declared()) {
        const tool = offered.get(name);
        assert.ok(tool, `${name} is not offered`);
        assert.deepEqual([tool.description, tool.inputSchema, tool.tags], [modelDescription, inputSchema, tags], name);
        assert.equal(inputSchema?.type, "object", name);
        assert.ok((tags?.length ?? 0) > 0, name);
      }
      await Promise.resolve();
    },
  },
  {
    name: "the tables of this test call every tool of the manifest",
    body: async () => {
      const called = new Set([...LOOKING, ...WRITING, ...MOVING].map(([tool]) => named(tool)));
      assert.deepEqual(declared().map(({ name }) => name).filter((name) => !called.has(name)), []);
      await Promise.resolve();
    },
  },
  {
    name: "the tools that read or plan answer",
    body: async () => {
      // An extension's contributions appear once it is active.
      await vscode.extensions.getExtension("zubi-tests.zubi-sample")?.activate();
      // The editor's servers check visible files.
      const broken = file("web/src/broken.ts");
      await vscode.window.showTextDocument(broken);
      await until(vscode.languages.onDidChangeDiagnostics, () => vscode.languages.getDiagnostics(broken).length > 0);
      await answers(LOOKING);
    },
  },
  {
    name: "the tools that write and undo answer",
    body: async () => { await answers(WRITING); },
  },
  {
    name: "the tools that move files, change settings and run commands answer",
    body: async () => { await answers(MOVING); },
  },
  {
    name: "a tool reports an invalid call as text",
    body: async () => {
      assert.match(await callTool(named("lsp_definition"), { at: 7 }), /^Invalid input: at: /);
      assert.match(await callTool(named("lsp_rename_symbol"), { at: `${REPORT}:5:17` }), /^Invalid input: newName: /);
      assert.match(await callTool(named("lsp_hover"), { at: "no/such/file.ts:1:1" }), /^(Invalid input|Error in lsp_hover): /);
      assert.match(await callTool(named("call_tool"), { tool: "no.such" }), /no\.such/);
    },
  },
  {
    name: "the next answer about TypeScript contains unsaved text",
    body: async () => {
      const editor = await vscode.window.showTextDocument(file(REPORT));
      await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), "// One more line.\n"); });
      assert.match(await callTool("lsp_definition", { at: `${REPORT}:9:15` }), /^at web\/src\/report\.ts:9:15 totalArea/);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await until(vscode.workspace.onDidChangeTextDocument, () => !editor.document.isDirty);
    },
  },
];

const answered = new Map<string, string>();

/** Makes the calls one after the other, and reports all failures, not only the first. */
async function answers(rows: readonly Row[]): Promise<void> {
  const wrong: string[] = [];
  for (const [tool, input, ...parts] of rows) {
    const name = named(tool);
    if (!declared().some((offered) => offered.name === name)) continue;
    const text = await callTool(name, input instanceof Function ? (input)(answered) : input);
    answered.set(tool, text);
    let rest = text;
    for (const part of parts) {
      const found = typeof part === "string" ? rest.indexOf(part) : rest.search(part);
      if (found < 0) wrong.push(`${tool}: no ${String(part)} in\n${text}`);
      else rest = rest.slice(found);
    }
  }
  assert.deepEqual(wrong, []);
}

/** The first id of a plan (`p`) or an action (`a`) in an answer. */
function id(kind: "p" | "a", text = ""): string {
  return new RegExp(`\\b${kind}-[a-z2-7]{10}\\b`).exec(text)?.[0] ?? `no id in ${text}`;
}
