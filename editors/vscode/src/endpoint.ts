// The editor as an endpoint. A table has one row for each method that `zubi lsp` can request. Parameters and results
// are LSP's, except that hovers are a list, and omitted items are counted (`leftOut`). The Rust side compensates for
// what commands lose.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageserver-protocol";
import { convert, newBudget, type Shape } from "./conversions.ts";
import { DiagnosticsTracker } from "./diagnostics.ts";
import table from "./endpoint.json" with { type: "json" };
import { message, rejectOn } from "./failure.ts";
import { Handles } from "./handles.ts";
import { EDITOR_REQUEST, type EditorRequestParams } from "./protocol.ts";
import { activateLanguage, waitForProject } from "./readiness.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * A method: VS Code's command; the paths of its arguments in the parameters (`runMethod` creates `uri`, `item` and
 * `location`); the shape of the result; whether the result is wrong before the project is loaded; the command for the
 * legend of the result's numbers.
 */
interface Row {
  readonly command: string;
  readonly args: readonly (string | number)[];
  readonly result: Shape;
  readonly needsProject?: boolean;
  readonly legend?: string;
}
const ROWS: Readonly<Record<string, Row>> = table.methods;
/** Diagnostic methods, which have no command. */
const DIAGNOSTIC_METHODS = {
  "textDocument/diagnostic": "forDocument",
  "workspace/diagnostic": "forWorkspace",
  "zubi/validate": "validate",
} as const;
/** The supported methods. */
export const METHODS: readonly string[] = [...Object.keys(ROWS), ...Object.keys(DIAGNOSTIC_METHODS)];

const NO_PROVIDER =
  "no provider in the editor serves this language: its extension may be starting (try again) or missing (install one)";

/** Creates VS Code's objects from LSP values. */
function toVscode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toVscode);
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toVscode(field)]));
  if ("line" in fields) return new vscode.Position(fields["line"] as number, fields["character"] as number);
  if ("start" in fields) return new vscode.Range(fields["start"] as vscode.Position, fields["end"] as vscode.Position);
  if (!("red" in fields)) return fields;
  const { red, green, blue, alpha } = fields as Record<string, number>;
  return new vscode.Color(red ?? 0, green ?? 0, blue ?? 0, alpha ?? 0);
}

/** Answers `EDITOR_REQUEST` of a client. */
export function attachEndpoint(client: LanguageClient): vscode.Disposable {
  const diagnostics = new DiagnosticsTracker();
  const handles = new Handles();
  const subscription = client.onRequest(
    EDITOR_REQUEST,
    async ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
      if (!METHODS.includes(method))
        throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      try {
        const { textDocument } = params as { textDocument?: { uri: string } };
        const uri = client.protocol2CodeConverter.asUri(textDocument?.uri ?? "");
        const row = ROWS[method];
        const readDiagnostics = (): unknown => {
          const read = DIAGNOSTIC_METHODS[method as keyof typeof DIAGNOSTIC_METHODS];
          return diagnostics[read](client, uri, token);
        };
        const response = Promise.resolve(
          row ? runMethod(row, params, textDocument && uri, handles, token) : readDiagnostics(),
        );
        // An extension may never answer.
        return await rejectOn(token.onCancellationRequested, new vscode.CancellationError(), response);
      } catch (error) {
        // The message is only the reason, for example why a rename is declined.
        throw new ResponseError(LSPErrorCodes.RequestFailed, message(error));
      }
    },
  );
  return vscode.Disposable.from(diagnostics, subscription);
}

async function runMethod(
  row: Row,
  params: unknown,
  uri: vscode.Uri | undefined,
  handles: Handles,
  token: vscode.CancellationToken,
): Promise<unknown> {
  const parent = row.args[0] === "item" ? handles.find((params as Values)["item"]) : undefined;
  const budget = newBudget((item) => handles.add(item, parent?.hierarchy));
  const values = toVscode(params) as Values;
  const inputs: Values = { ...values, uri, item: parent?.item, location: { uri, range: values["range"] } };
  const resolve = (path: string): unknown =>
    path.split(".").reduce<unknown>((from, name) => (from as Values | undefined)?.[name], inputs);
  const args = row.args.map((arg) => (typeof arg === "number" ? arg : resolve(arg)));
  const run = (command: string): Thenable<unknown> => vscode.commands.executeCommand(`vscode.${command}`, ...args);
  const isActive = uri === undefined || (await activateLanguage(uri, token));
  if (row.needsProject === true) await waitForProject(uri, inputs["position"]);
  const result: { length?: number } | null = (await run(row.command)) ?? null;
  // An empty answer does not count if the language has not answered before.
  if (!isActive && (result === null || result.length === 0)) throw new Error(NO_PROVIDER);
  if (result === null) return null;
  const value = convert(
    row.result,
    row.legend === undefined ? result : { ...result, legend: await run(row.legend) },
    budget,
  ) as object;
  if (budget.leftOut === 0) return value;
  const { leftOut } = budget;
  return Array.isArray(value) ? [...(value as unknown[]), { leftOut }] : { ...value, leftOut };
}
