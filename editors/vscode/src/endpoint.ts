// The editor as an endpoint. What `zubi lsp` can ask of it stands in a table, one row for each method; parameters and results
// are LSP's, but hovers come in a list, and what did not fit is counted (`leftOut`). What commands lose is made good in Rust.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type Color, ErrorCodes, LSPErrorCodes, type Position, type Range, ResponseError } from "vscode-languageserver-protocol";
import { convert, Room, type Shape } from "./conversions.ts";
import { Problems } from "./diagnostics.ts";
import table from "./endpoint.json" with { type: "json" };
import { message } from "./failure.ts";
import { Handles } from "./handles.ts";
import { EDITOR_REQUEST, type EditorRequestParams } from "./protocol.ts";
import { fence, wake } from "./readiness.ts";

/** How a method is answered. */
interface Row {
  /** VS Code's, without `vscode.`. */
  readonly command: string;
  /** Names of `ARGUMENTS` or of parameters, or numbers. */
  readonly args: readonly (string | number)[];
  readonly result: Shape;
  /** Whether the answer is wrong before the language has read the project. */
  readonly needsProject?: boolean;
  /** Another command, whose answer says what the numbers of this one's mean. */
  readonly legend?: string;
}
const ROWS: Readonly<Record<string, Row>> = table.methods;

/** Of LSP's parameters what is read here; each method has its own. */
interface Params {
  readonly textDocument: { readonly uri: string };
  readonly position?: Position;
  readonly positions: readonly Position[];
  readonly range: Range;
  readonly context?: { only?: readonly string[]; triggerCharacter?: string; frameId?: number; stoppedLocation?: Range };
  readonly color: Color;
  readonly [plain: string]: unknown;
}
type Answer = (endpoint: Endpoint, params: Params, token: vscode.CancellationToken) => unknown;

/** Nothing, of a language that has never answered, is no answer. */
const NOBODY = "nobody in the editor answers about this language: its extension may be starting (ask again) or missing (install one)";
const ORIGIN = { line: 0, character: 0 };
const place = ({ line, character }: Position): vscode.Position => new vscode.Position(line, character);
const span = ({ start, end }: Range): vscode.Range => new vscode.Range(place(start), place(end));

/** VS Code's own values of parameters; others are passed on as they are. */
const ARGUMENTS: Readonly<Record<string, (params: Params, uri?: vscode.Uri) => unknown>> = {
  uri: (_params, uri) => uri,
  position: ({ position }) => place(position ?? ORIGIN),
  positions: ({ positions }) => positions.map(place),
  range: ({ range }) => span(range),
  trigger: ({ context }) => context?.triggerCharacter,
  kind: ({ context }) => context?.only?.[0],
  frame: ({ context, range }) => ({ frameId: context?.frameId, stoppedLocation: span(context?.stoppedLocation ?? range) }),
  color: ({ color: { red, green, blue, alpha } }) => new vscode.Color(red, green, blue, alpha),
  place: ({ range }, uri) => ({ uri, range: span(range) }),
};

/** Problems are no command's. */
const OTHERS: Readonly<Record<string, Answer>> = {
  "textDocument/diagnostic": ({ problems, client }, params) => problems.of(client, uriOf(client, params)),
  "workspace/diagnostic": ({ problems, client }) => problems.all(client),
  "zubi/validate": ({ problems, client }, params, token) => problems.validate(client, uriOf(client, params), token),
};
const uriOf = (client: LanguageClient, params: Params): vscode.Uri => client.protocol2CodeConverter.asUri(params.textDocument.uri);

/** What is answered at all. */
export const METHODS = [...Object.keys(ROWS), ...Object.keys(OTHERS)];

/** Answers `EDITOR_REQUEST` of a client. */
export class Endpoint implements vscode.Disposable {
  readonly client: LanguageClient;
  readonly problems = new Problems();
  readonly #handles = new Handles();
  readonly #asked: vscode.Disposable;

  constructor(client: LanguageClient) {
    this.client = client;
    this.#asked = client.onRequest(EDITOR_REQUEST, async ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
      const [row, other] = [ROWS[method], OTHERS[method]];
      if (!row && !other) throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      try {
        return await (row ? this.#answer(row, params as Params, token) : other?.(this, params as Params, token));
      } catch (error) {
        // The reason alone, without words around it: of a rename, why it is declined.
        throw new ResponseError(LSPErrorCodes.RequestFailed, message(error));
      }
    });
  }

  async #answer(row: Row, params: Params, token: vscode.CancellationToken): Promise<unknown> {
    const known = row.args[0] === "item" ? this.#handles.find(params["item"]) : undefined;
    let hierarchy = known?.hierarchy;
    const room = new Room((item) => this.#handles.keep({ item, hierarchy: (hierarchy ??= this.#handles.begin()) }));
    const uri = "textDocument" in params ? uriOf(this.client, params) : undefined;
    const isAwake = uri === undefined || (await wake(uri, token));
    if (row.needsProject === true) await fence(uri, place(params.position ?? ORIGIN));
    const given: Readonly<Record<string, unknown>> = { ...params, item: known?.item };
    const args = row.args.map((name) => (typeof name === "number" ? name : name in ARGUMENTS ? ARGUMENTS[name]?.(params, uri) : given[name]));
    const run = (command: string): Thenable<unknown> => vscode.commands.executeCommand(`vscode.${command}`, ...args);
    let found = (await run(row.command)) as object | null | undefined;
    const isNothing = found === undefined || found === null || (found as Partial<unknown[]>).length === 0;
    if (isNothing && !isAwake) throw new Error(NOBODY);
    if (found === undefined || found === null) return null;
    if (row.legend !== undefined) found = { ...found, legend: await run(row.legend) };
    const value = convert(row.result, found, room) as object;
    const { leftOut } = room;
    if (leftOut === 0) return value;
    return Array.isArray(value) ? [...(value as unknown[]), { leftOut }] : { ...value, leftOut };
  }

  dispose(): void {
    vscode.Disposable.from(this.problems, this.#asked).dispose();
  }
}
