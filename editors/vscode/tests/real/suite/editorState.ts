// zubi sees what the user sees: open files, unsaved texts, diagnostics of the editor's own servers.
import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { Internals } from "../../../src/extension.ts";
import { TOOLS_CALL, type ToolsCallResult } from "../../../src/protocol.ts";
import { type Case, file, ipc } from "./harness.ts";

interface OpenFile {
  readonly path: string;
  readonly languageId: string;
  readonly isDirty: boolean;
  readonly lineCount: number;
}
interface Problem {
  readonly range: { readonly start: { readonly line: number } };
  readonly severity: string;
  readonly source?: string;
  readonly code?: string;
}
interface Problems {
  readonly diagnostics: readonly Problem[];
  readonly note?: string;
}
interface Active extends OpenFile, Problems {
  readonly active: boolean;
  readonly selection: { readonly line: number; readonly column: number };
}

/** An error that only a TypeScript server reports. */
const WRONG = 'const wrong: number = "no";\n';

export const editorState: readonly Case[] = [
  {
    name: "the tool editor returns unsaved text and its diagnostics",
    body: async () => {
      const uri = file("web/src/shape.ts");
      const editor = await vscode.window.showTextDocument(uri);
      assert.ok(await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), WRONG); }));
      editor.selection = new vscode.Selection(2, 1, 2, 1);
      const lineCount = editor.document.lineCount;

      const { diagnostics } = await query<Problems>({ command: "validate_file", path: "web/src/shape.ts" });
      const seen = diagnostics.map(({ range, severity, source, code }) => [range.start.line, severity, source, code]);
      assert.deepEqual(seen.filter(([, severity]) => severity === "error"), [[0, "error", "ts", "2322"]]);

      const { files } = await query<{ files: readonly OpenFile[] }>({ command: "open_files" });
      const open = files.find(({ path }) => path === uri.fsPath);
      assert.deepEqual([open?.languageId, open?.isDirty, open?.lineCount], ["typescript", true, lineCount]);

      const active = await query<Active>({ command: "active_file" });
      assert.deepEqual([active.active, active.path, active.isDirty], [true, uri.fsPath, true]);
      assert.deepEqual(active.selection, { line: 3, column: 2 });
      assert.deepEqual(active.diagnostics, diagnostics);

      const all = await query<{ files: readonly ({ path: string } & Problems)[] }>({ command: "all_diagnostics", source: "ts" });
      assert.deepEqual(all.files.find(({ path }) => path === uri.fsPath)?.diagnostics, diagnostics);
      assert.ok(!(await readFile(uri.fsPath, "utf8")).includes(WRONG));

      // The answer as text, as a model reads it.
      const text = await call({ command: "diagnostics", path: "web/src/shape.ts" });
      assert.match(text, /\n {2}1:7 {2}error: Type 'string' is not assignable to type 'number'\. {2}\[ts 2322\]\n/);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      assert.equal((await query<Active>({ command: "active_file" })).isDirty, false);
    },
  },
  {
    name: "validate_file opens a closed file without showing it",
    body: async () => {
      const path = "web/src/report.ts";
      const shown = vscode.window.activeTextEditor?.document.uri.toString();
      const validated = await query<Problems & { languageId: string }>({ command: "validate_file", path });
      assert.equal(validated.languageId, "typescript");
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), shown);
      assert.ok(vscode.workspace.textDocuments.some(({ uri }) => uri.fsPath === file(path).fsPath));
      const outside = await call({ command: "validate_file", path: "/etc/hostname" });
      assert.match(outside, /^Invalid input: path: `\/etc\/hostname` is not in this workspace/);
    },
  },
  {
    name: "another process queries the editor, and runs only allowed commands",
    body: async () => {
      const uri = file("web/src/shape.ts");
      await vscode.window.showTextDocument(uri);
      await call({ command: "ping" });
      const active = JSON.parse(await ipc("getActiveFile")) as Active;
      assert.deepEqual([active.active, active.path], [true, uri.fsPath]);
      const ran = JSON.parse(await ipc("executeCommand", { command: "workbench.action.problems.focus" })) as object;
      assert.deepEqual(ran, { executed: true, command: "workbench.action.problems.focus", result: null });
      const refreshed = JSON.parse(await ipc("executeCommand", { command: "zubi.refreshViews" })) as { result: unknown };
      assert.equal(refreshed.result, true);
      await assert.rejects(ipc("executeCommand", { command: "workbench.action.closeWindow" }), /is not allowed here; allowed: /);
    },
  },
];

/** The tool's answer as the protocol's object. */
async function query<Answer>(args: object): Promise<Answer> {
  const text = await call({ ...args, format: "json" });
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new Error(`no JSON: ${text}`);
  }
}

/** The tool's answer as text. */
async function call(args: object): Promise<string> {
  const extension = vscode.extensions.getExtension<Internals>("zubi.zubi");
  const internals = await extension?.activate();
  assert.ok(internals, "the extension shows its server to its tests");
  const { token } = new vscode.CancellationTokenSource();
  return (await internals.server.request<ToolsCallResult>(TOOLS_CALL, { id: "editor", args }, token)).text;
}
