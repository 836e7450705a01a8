// Python, for which VS Code includes no server: a test extension starts one, and zubi's tools answer from it.
import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import { callTool, type Case, file, named, until } from "./harness.ts";

const REPORT = "shapes/report.py";

/** The arguments of each tool, and texts that its answer must contain. */
const ANSWERS: readonly (readonly [tool: string, input: object, ...texts: string[]])[] = [
  ["lsp_definition", { at: `${REPORT}:10:17` }, "at shapes/report.py:10:17 total_area", "shapes/shape.py\n  35:5  def total_area("],
  ["lsp_references", { at: "shapes/shape.py:35:5" }, "3 references to `total_area` in 2 files", "10:17"],
  ["lsp_hover", { at: `${REPORT}:10:17` }, "(function) def total_area(", "The area of two shapes together"],
  ["lsp_diagnostics", { path: "shapes/broken.py" }, "9:27", "reportArgumentType"],
];

export const python: readonly Case[] = [
  {
    name: "the tools answer for Python from the extension's server",
    body: async () => {
      // VS Code sends its server requests for visible files.
      const broken = file("shapes/broken.py");
      await vscode.window.showTextDocument(broken);
      await until(vscode.languages.onDidChangeDiagnostics, () => vscode.languages.getDiagnostics(broken).length > 0);
      for (const [tool, input, ...texts] of ANSWERS) {
        const text = await callTool(named(tool), input);
        for (const part of texts) assert.ok(text.includes(part), `${tool} does not answer ${JSON.stringify(part)}:\n${text}`);
      }
    },
  },
  {
    name: "a rename in Python changes open and closed files",
    body: async () => {
      const editor = await vscode.window.showTextDocument(file(REPORT));
      await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), "# not saved\n"); });
      const input = { uri: file("shapes/shape.py").toString(), originalName: "total_area", newName: "sum_area" };
      const text = await callTool(named("rename_symbol"), input);
      assert.match(text, /shapes\/shape\.py/);
      assert.match(text, /shapes\/report\.py/);
      assert.match(editor.document.getText(), /^# not saved\n(.|\n)*sum_area\(circle/);
      const shape = await vscode.workspace.openTextDocument(file("shapes/shape.py"));
      assert.match(shape.getText(), /def sum_area\(/);
    },
  },
];
