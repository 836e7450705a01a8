// The tool reports the diagnostics that the editor shows, in every file.
import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import { callToolForJson, type Case, file, until } from "./harness.ts";

interface Validation {
  readonly errors: readonly Item[];
  readonly warnings: readonly Item[];
}
interface Item {
  readonly severity: number;
  readonly message: string;
  readonly code?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export const diagnostics: readonly Case[] = [
  {
    name: "domainlang_validate reports the editor's errors and warnings in every file",
    body: async () => {
      const documents = await vscode.workspace.findFiles("**/*.dlang");
      assert.ok(documents.length > 5);
      for (const uri of documents) await vscode.workspace.openTextDocument(uri);
      const { errors, warnings } = await callToolForJson<Validation>("domainlang_validate", {});
      const reported = [...errors, ...warnings].map(line).sort();
      assert.ok(errors.length > 0 && warnings.length > 0);
      // Diagnostics reach the editor independently, so they may come after the answer. After the time-out the lines are
      // compared, because that explains a failure better than a time-out.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => { timer = setTimeout(resolve, 15_000); });
      const equal = until(vscode.languages.onDidChangeDiagnostics, () => JSON.stringify(shown()) === JSON.stringify(reported));
      await Promise.race([equal, late]);
      clearTimeout(timer);
      assert.deepEqual(shown(), reported);
    },
  },
];

/** The errors and warnings about DomainLang that the editor shows. */
function shown(): string[] {
  const root = file("").path.replace(/\/$/, "");
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => uri.path.endsWith(".dlang") || /\/model\.(yaml|lock)$/.test(uri.path))
    .flatMap(([uri, found]) =>
      found
        .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
        .map(({ severity, message, code, range }) =>
          line({
            severity: severity + 1,
            message,
            ...(code === undefined ? {} : { code: typeof code === "object" ? String(code.value) : String(code) }),
            file: uri.path.slice(root.length + 1),
            line: range.start.line + 1,
            column: range.start.character + 1,
          }),
        ),
    )
    .sort();
}

function line({ file, line, column, severity, code, message }: Item): string {
  return `${file}:${line}:${column} ${severity} [${code ?? ""}] ${message}`;
}
