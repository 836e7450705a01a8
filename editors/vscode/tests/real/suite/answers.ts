// The five tools answer from the editor's current content.
import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { callTool, callToolForJson, type Case, file } from "./harness.ts";

const TOOLS = ["domainlang_validate", "domainlang_list", "domainlang_get", "domainlang_explain", "lsp_definition"];

interface Validation {
  readonly valid: boolean;
  readonly fileCount: number;
  readonly errors: readonly { readonly file: string }[];
}
interface Got {
  readonly found: boolean;
  readonly element?: { readonly fqn: string; readonly effectiveTeam?: string };
  readonly summary?: { readonly boundedContextCount: number };
}
interface Listed {
  readonly entityType: string;
  readonly count: number;
  readonly results: readonly { readonly name: string; readonly fqn: string }[];
}
interface Explained {
  readonly fqn: string;
  readonly type: string | null;
  readonly explanation: string | null;
  readonly error?: string;
}

export const answers: readonly Case[] = [
  {
    name: "VS Code offers the five tools to language models",
    body: () => {
      const offered = new Map(vscode.lm.tools.map((tool) => [tool.name, tool]));
      for (const name of TOOLS) {
        const tool = offered.get(name);
        assert.ok(tool, `${name} is not offered`);
        assert.ok(tool.description.length > 20, name);
        assert.equal((tool.inputSchema as { type?: string } | undefined)?.type, "object", name);
      }
      return Promise.resolve();
    },
  },
  {
    name: "domainlang_validate validates the workspace or one file",
    body: async () => {
      const all = await callToolForJson<Validation>("domainlang_validate", {});
      assert.equal(all.valid, false);
      assert.ok(all.fileCount >= 7, `${all.fileCount} files`);
      const one = await callToolForJson<Validation>("domainlang_validate", { file: file("shop/shop.dlang").toString() });
      assert.deepEqual([one.valid, one.errors], [true, []]);
      const broken = await callToolForJson<Validation>("domainlang_validate", { file: file("broken/names.dlang").toString() });
      assert.equal(broken.valid, false);
      assert.deepEqual([...new Set(broken.errors.map((error) => error.file))], ["broken/names.dlang"]);
    },
  },
  {
    name: "domainlang_list lists and filters",
    body: async () => {
      const listed = await callToolForJson<Listed>("domainlang_list", { type: "bcs", team: "Storefront" });
      assert.equal(listed.entityType, "bcs");
      assert.equal(listed.count, listed.results.length);
      assert.ok(listed.results.some(({ fqn }) => fqn === "Catalog"), JSON.stringify(listed));
    },
  },
  {
    name: "domainlang_get finds an element, and counts without one",
    body: async () => {
      const got = await callToolForJson<Got>("domainlang_get", { fqn: "Sales.Catalog" });
      assert.deepEqual([got.found, got.element?.fqn, got.element?.effectiveTeam], [true, "Catalog", "Storefront"]);
      const { summary } = await callToolForJson<Got>("domainlang_get", {});
      assert.ok((summary?.boundedContextCount ?? 0) > 3, JSON.stringify(summary));
    },
  },
  {
    name: "domainlang_explain explains, and reports unknown names",
    body: async () => {
      const explained = await callToolForJson<Explained>("domainlang_explain", { fqn: "Catalog" });
      assert.equal(explained.type, "BoundedContext");
      assert.match(explained.explanation ?? "", /What the shop has to offer/);
      const unknown = await callToolForJson<Explained>("domainlang_explain", { fqn: "Catalogue" });
      assert.deepEqual([unknown.type, unknown.explanation, unknown.error], [null, null, "Element 'Catalogue' not found"]);
    },
  },
  {
    name: "a tool reports invalid input as text",
    body: async () => {
      assert.match(await callTool("domainlang_list", { type: "books" }), /^Invalid input: .*books/);
      assert.match(await callTool("domainlang_list", { type: "teams", team: "Storefront" }), /^Invalid input: .*team/);
    },
  },
  {
    name: "a cancelled call ends with a text",
    body: async () => {
      const source = new vscode.CancellationTokenSource();
      source.cancel();
      // VS Code itself may end the call, or the request to the server is cancelled; neither may hang.
      const text = await callTool("domainlang_get", {}, source.token).catch((error: unknown) => String(error));
      assert.match(text, /cancel/i);
    },
  },
  {
    name: "the next answer contains unsaved text",
    body: async () => {
      const uri = file("shop/shop.dlang");
      const editor = await vscode.window.showTextDocument(uri);
      for (const name of ["Typed", "Retyped"]) {
        const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
        assert.ok(await editor.edit((edit) => { edit.insert(end, `\nTeam ${name}\n`); }));
        const got = await callToolForJson<Got>("domainlang_get", { fqn: name });
        assert.equal(got.element?.fqn, name);
      }
      assert.ok(editor.document.isDirty);
      assert.ok(!(await readFile(uri.fsPath, "utf8")).includes("Typed"));
      await vscode.commands.executeCommand("workbench.action.files.revert");
      assert.equal((await callToolForJson<Got>("domainlang_get", { fqn: "Typed" })).found, false);
    },
  },
  {
    name: "lsp_definition answers for a TypeScript file through the editor",
    body: async () => {
      const text = await callTool("lsp_definition", { at: "web/src/report.ts:8:15" });
      // Without a separate TypeScript server, only the editor can know that.
      assert.match(text, /^at web\/src\/report\.ts:8:15 totalArea/);
      assert.match(text, /\nweb\/src\/shape\.ts\n {2}29:17 {2}export function totalArea\(/);
    },
  },
];
