// Tools change files through the editor: typed text is preserved, imports follow, and everything can be undone.
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { Internals } from "../../../src/extension.ts";
import { TOOLS_CALL, type ToolsCallResult } from "../../../src/protocol.ts";
import { type Case, file } from "./harness.ts";

const SHAPE = "web/src/shape.ts";
const REPORT = "web/src/report.ts";
const MESSY = "web/src/messy.ts";
const TYPED = "// typed and not saved\n";

export const edits: readonly Case[] = [
  {
    name: "file.write saves an open file that has no unsaved changes",
    body: async () => {
      const { document } = await vscode.window.showTextDocument(file(MESSY));
      const content = "export function once(): number {\n  return 1;\n}\n";
      const before = await onDisk(MESSY);
      const written = await call("file.write", { path: MESSY, content, overwrite: true });
      assert.deepEqual([document.getText(), document.isDirty, await onDisk(MESSY)], [content, false, content]);
      await call("undo_edit", { plan: plan(written) });
      assert.deepEqual([document.getText(), document.isDirty, await onDisk(MESSY)], [before, false, before]);
    },
  },
  {
    name: "file.edit does not save a file that has unsaved changes",
    body: async () => {
      const { document } = await vscode.window.showTextDocument(file(MESSY));
      const before = await onDisk(MESSY);
      await type(document, TYPED);
      assert.ok((await call("file.read", { path: MESSY })).includes("typed and not saved"));
      const edited = await call("file.edit", { path: MESSY, old: "typed", new: "edited" });
      assert.match(edited, /not saved, for it had unsaved changes: `web\/src\/messy\.ts`/);
      assert.ok(document.getText().startsWith("// edited and not saved\n") && document.isDirty);
      assert.equal(await onDisk(MESSY), before);
      await call("undo_edit", { plan: plan(edited) });
      assert.deepEqual([document.getText(), document.isDirty], [TYPED + before, true]);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
  {
    name: "rename_file updates imports in open and closed files, and undo_edit restores them",
    body: async () => {
      const other = 'import { Circle } from "./shape.js";\nexport const circle = new Circle(1);\n';
      await writeFile(file("web/src/other.ts").fsPath, other);
      const { document } = await vscode.window.showTextDocument(file(REPORT));
      await type(document, TYPED);
      const [report, reportOnDisk, shape] = [document.getText(), await onDisk(REPORT), await onDisk(SHAPE)];

      const moved = await call("rename_file", { oldUri: SHAPE, newUri: "web/src/lib/shape.ts" });
      assert.equal(document.getText(), report.replace("./shape.js", "./lib/shape.js"), moved);
      assert.deepEqual([document.isDirty, await onDisk(REPORT)], [true, reportOnDisk]);
      assert.equal(await onDisk("web/src/other.ts"), other.replace("./shape.js", "./lib/shape.js"), moved);
      assert.deepEqual([existsSync(file(SHAPE).fsPath), await onDisk("web/src/lib/shape.ts")], [false, shape]);
      for (const expected of ["web/src/lib/shape.ts", `${REPORT}  changed by an extension`, "web/src/other.ts  changed by an extension",
        `not saved, for it is open in the editor: \`${REPORT}\``, "extensions of the editor changed 2 files", '"always" for this call']) {
        assert.ok(moved.includes(expected), `${expected} is not in ${moved}`);
      }
      assert.ok(!existsSync(file(".vscode").fsPath), "the settings are as they were");

      const undone = await call("undo_edit", { plan: plan(moved) });
      assert.deepEqual([document.getText(), document.isDirty, await onDisk(REPORT)], [report, true, reportOnDisk], undone);
      assert.deepEqual([await onDisk("web/src/other.ts"), await onDisk(SHAPE)], [other, shape]);
      assert.ok(!existsSync(file("web/src/lib").fsPath) && !existsSync(file(".vscode").fsPath));
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
  {
    name: "imports stay unchanged if the setting is `never`, and tools cannot change the user's own settings",
    body: async () => {
      const set = await call("set_update_imports_setting", { value: "never" });
      assert.match(set, /updateImportsOnFileMove\.enabled: not set → "never" at the scope `workspace`/);
      const before = await onDisk(REPORT);
      const settings = await onDisk(".vscode/settings.json");
      const moved = await call("rename_file", { oldUri: SHAPE, newUri: "web/src/form.ts", save: true });
      assert.match(moved, /imports stay unchanged: updateImportsOnFileMove is "never"/);
      assert.equal(await onDisk(REPORT), before);
      await call("undo_edit", { plan: plan(moved) });
      assert.equal(await onDisk(".vscode/settings.json"), settings);

      assert.match(await call("set_setting", { key: "editor.tabSize", value: 3, scope: "workspace" }), /tabSize: not set → 3/);
      assert.equal(vscode.workspace.getConfiguration("editor").get("tabSize"), 3);
      assert.equal(vscode.workspace.getConfiguration("editor").inspect("tabSize")?.globalValue, undefined);
      assert.match(await call("get_setting", { key: "editor.tabSize" }), /^editor\.tabSize = 3, set at the scope/);
      assert.match(await call("set_setting", { key: "editor.tabSize", value: 3, scope: "user" }), /tools cannot change the user's own settings/);
      assert.match(await call("set_setting", { key: "editor.tabSize" }), /tabSize: 3 → not set/);
      await vscode.workspace.getConfiguration().update("js/ts.updateImportsOnFileMove.enabled", undefined, false);
      await vscode.workspace.fs.delete(file(".vscode"), { recursive: true });
    },
  },
  {
    name: "rename_symbol changes unsaved text and saves it only on request",
    body: async () => {
      const { document } = await vscode.window.showTextDocument(file(REPORT));
      const before = await onDisk(REPORT);
      await type(document, "export function typed(): number {\n  return typed();\n}\n");
      const renamed = await call("rename_symbol", { uri: REPORT, originalName: "typed", newName: "written" });
      assert.ok(document.getText().startsWith("export function written(): number {\n  return written();\n}\n"), renamed);
      assert.deepEqual([document.isDirty, await onDisk(REPORT)], [true, before]);
      const again = await call("rename_symbol", { uri: REPORT, originalName: "written", newName: "saved", save: true });
      assert.deepEqual([document.isDirty, await onDisk(REPORT)], [false, document.getText()], again);
      assert.ok(document.getText().startsWith("export function saved()"));
      await writeFile(document.uri.fsPath, before);
    },
  },
  {
    name: "apply_edit refuses a plan if the text has changed since",
    body: async () => {
      const { document } = await vscode.window.showTextDocument(file(MESSY));
      const planned = await call("lsp_format_document", { path: MESSY });
      await type(document, TYPED);
      const text = document.getText();
      const refused = await call("apply_edit", { plan: plan(planned) });
      assert.match(refused, /`web\/src\/messy\.ts` changed since the plan was made; nothing was written/);
      assert.equal(document.getText(), text);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
  {
    name: "organize_imports changes the unsaved text",
    body: async () => {
      const { document } = await vscode.window.showTextDocument(file("web/src/other.ts"));
      await type(document, 'import { Rectangle } from "./shape.js";\n// last line\n');
      const organized = await call("organize_imports", { uri: "web/src/other.ts" });
      assert.ok(!document.getText().includes("Rectangle") && document.getText().includes("Circle"), organized);
      assert.ok(document.isDirty);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
];

/** Types at the beginning of a visible document. */
async function type(document: vscode.TextDocument, text: string): Promise<void> {
  const editor = await vscode.window.showTextDocument(document);
  assert.ok(await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), text); }));
}

function onDisk(relative: string): Promise<string> {
  return readFile(file(relative).fsPath, "utf8");
}

/** The plan in an answer. */
function plan(text: string): string {
  const id = /p-[a-z2-7]{10}/.exec(text)?.[0];
  assert.ok(id, text);
  return id;
}

/** The text of a tool's answer. */
async function call(id: string, args: object): Promise<string> {
  const internals = await vscode.extensions.getExtension<Internals>("zubi.zubi")?.activate();
  assert.ok(internals, "the extension shows its server to its tests");
  const { token } = new vscode.CancellationTokenSource();
  return (await internals.server.request<ToolsCallResult>(TOOLS_CALL, { id, args }, token)).text;
}
