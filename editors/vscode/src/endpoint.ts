// The editor as an endpoint. A table has the methods that `zubi lsp` can request, one row each; parameters and results
// are LSP's, except that hovers are a list, and omitted items are counted (`leftOut`). Rust compensates for what
// commands lose.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageserver-protocol";
import { convert, newRoom, type Shape } from "./conversions.ts";
import { Problems } from "./diagnostics.ts";
import table from "./endpoint.json" with { type: "json" };
import { message, unless } from "./failure.ts";
import { Handles } from "./handles.ts";
import { EDITOR_REQUEST, type EditorRequestParams } from "./protocol.ts";
import { fence, wake } from "./readiness.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * A method: VS Code's command; the path of its arguments in the parameters (`uri`, `item` and `place` are created here); the shape of
 * the result; whether it is wrong before the project is loaded; the command for the legend of the result's numbers.
 */
interface Row {
  readonly command: string;
  readonly args: readonly (string | number)[];
  readonly result: Shape;
  readonly needsProject?: boolean;
  readonly legend?: string;
}
const ROWS: Readonly<Record<string, Row>> = table.methods;
/** Diagnostics have no command. */
const PROBLEMS = {
  "textDocument/diagnostic": "of",
  "workspace/diagnostic": "all",
  "zubi/validate": "validate",
} as const;
/** The supported methods. */
export const METHODS: readonly string[] = [...Object.keys(ROWS), ...Object.keys(PROBLEMS)];

const NOBODY =
  "no provider in the editor serves this language: its extension may be starting (try again) or missing (install one)";

/** Creates VS Code's objects for values of LSP. */
function made(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(made);
  const of = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, made(field)]));
  if ("line" in of) return new vscode.Position(of["line"] as number, of["character"] as number);
  if ("start" in of) return new vscode.Range(of["start"] as vscode.Position, of["end"] as vscode.Position);
  return "red" in of
    ? new vscode.Color(of["red"] as number, of["green"] as number, of["blue"] as number, of["alpha"] as number)
    : of;
}

/** Answers `EDITOR_REQUEST` of a client. */
export function attachEndpoint(client: LanguageClient): vscode.Disposable {
  const [problems, handles] = [new Problems(), new Handles()];
  const asked = client.onRequest(
    EDITOR_REQUEST,
    async ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
      if (!METHODS.includes(method))
        throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      try {
        const { textDocument } = params as { textDocument?: { uri: string } };
        const uri = client.protocol2CodeConverter.asUri(textDocument?.uri ?? "");
        const row = ROWS[method];
        const shown = (): unknown => problems[PROBLEMS[method as keyof typeof PROBLEMS]](client, uri, token);
        const answered = Promise.resolve(row ? answer(row, params, textDocument && uri, handles, token) : shown());
        // An extension may never answer.
        return await unless(token.onCancellationRequested, new vscode.CancellationError(), answered);
      } catch (error) {
        // Only the reason, without words around it: for a rename, why it is declined.
        throw new ResponseError(LSPErrorCodes.RequestFailed, message(error));
      }
    },
  );
  return vscode.Disposable.from(problems, asked);
}

async function answer(
  row: Row,
  params: unknown,
  uri: vscode.Uri | undefined,
  handles: Handles,
  token: vscode.CancellationToken,
): Promise<unknown> {
  const known = row.args[0] === "item" ? handles.find((params as Values)["item"]) : undefined;
  const room = newRoom((item) => handles.keep(item, known?.hierarchy));
  const plain = made(params) as Values;
  const given: Values = { ...plain, uri, item: known?.item, place: { uri, range: plain["range"] } };
  const pick = (path: string): unknown =>
    path.split(".").reduce<unknown>((from, name) => (from as Values | undefined)?.[name], given);
  const args = row.args.map((arg) => (typeof arg === "number" ? arg : pick(arg)));
  const run = (command: string): Thenable<unknown> => vscode.commands.executeCommand(`vscode.${command}`, ...args);
  const isAwake = uri === undefined || (await wake(uri, token));
  if (row.needsProject === true) await fence(uri, given["position"]);
  const found: { length?: number } | null = (await run(row.command)) ?? null;
  // An empty answer from a language that has never answered does not count.
  if (!isAwake && (found === null || found.length === 0)) throw new Error(NOBODY);
  if (found === null) return null;
  const value = convert(
    row.result,
    row.legend === undefined ? found : { ...found, legend: await run(row.legend) },
    room,
  ) as object;
  const leftOut = room.leftOut > 0 && { leftOut: room.leftOut };
  return leftOut && Array.isArray(value)
    ? [...(value as unknown[]), leftOut]
    : leftOut
      ? { ...value, ...leftOut }
      : value;
}
