// Converts VS Code's values to LSP's. The table of shapes names the fields of each kind to convert; all others are
// omitted (arguments of commands may be anything). A value's class does not decide: results of commands have other
// classes, and document symbols have two kinds at once.
import type * as vscode from "vscode";
import table from "./endpoint.json" with { type: "json" };
import { message } from "./failure.ts";

/** The name of a shape or rule (with the prefix `field:` if another field has the value), a list, or fields. */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };
type Fields = Readonly<Record<string, unknown>>;
type Rule = (value: unknown, budget: Budget) => unknown;

/** The remaining budget of an answer. Lists and read-only texts are cut; a change above the budget is an error. */
export interface Budget {
  items: number;
  characters: number;
  leftOut: number;
  /** Creates the handle of an item in a hierarchy. */
  readonly createHandle: (item: unknown) => object;
}
export const newBudget = (createHandle: Budget["createHandle"]): Budget => ({
  items: 100_000,
  characters: 4_000_000,
  leftOut: 0,
  createHandle,
});

/** The maximum number of entries of one list. */
const MAX_LIST = 5_000;
/** The maximum number of characters of one read-only text. */
const MAX_TEXT = 100_000;
const TOO_LARGE = "the editor's change is too large to be passed on: request a smaller one";
/** Links to commands do not work outside the editor. */
const COMMAND_LINK = /\[([^[\]]*)\]\(command:[^()\s]*(?: "[^"]*")?\)/g;
const FOLDINGS = [undefined, "comment", "imports", "region"];
const SHAPES: Readonly<Record<string, Shape>> = table.shapes;

const text = (value: unknown, budget: Budget): string => {
  const cut = String(value).slice(0, Math.min(MAX_TEXT, budget.characters));
  budget.characters -= cut.length;
  return cut;
};
const exactText: Rule = (value, budget) => {
  budget.characters -= String(value).length;
  if (budget.characters < 0) throw new Error(TOO_LARGE);
  return String(value);
};
/** A string, or the string in a value. */
const stringOf = (value: unknown): string => (typeof value === "string" ? value : String((value as Fields)["value"]));
const markdown: Rule = (value, budget) => text(stringOf(value).replace(COMMAND_LINK, "$1"), budget);
/** Converts one of VS Code's enumerations, which begin at 0, to LSP's, which begins at 1. */
const kind =
  (last: number, fallback?: number): Rule =>
  (value) =>
    Number(value) < last ? Number(value) + 1 : fallback;
/** Applies the first rule to strings, the second to all other values. */
const byType =
  (plain: Rule, fallback: Rule): Rule =>
  (value, budget) =>
    (typeof value === "string" ? plain : fallback)(value, budget);
const byShape =
  (shape: Shape): Rule =>
  (value, budget) =>
    convert(shape, value, budget);

/** VS Code's internal list of an edit's parts; the list for extensions lacks changes of files. */
type Parts = readonly { _type: number; from?: vscode.Uri; to?: vscode.Uri; options?: { contents?: unknown } }[];
const workspaceEdit: Rule = (value, budget) => {
  const edit = value as vscode.WorkspaceEdit & { _allEntries(): Parts };
  // Type 1 is a file and type 2 a text; VS Code applies files first.
  const files = edit
    ._allEntries()
    .filter(({ _type }) => _type !== 2)
    .map(({ _type, from, to, options = {} }) => {
      if (_type !== 1 || !(from ?? to) || options.contents)
        throw new Error("it has parts that only the editor itself can apply");
      const oldUri = from?.toString();
      const newUri = to?.toString();
      const operation =
        from && to ? { kind: "rename", oldUri, newUri } : { kind: to ? "create" : "delete", uri: newUri ?? oldUri };
      return { ...operation, options: convert("fileOptions", options, budget) };
    });
  const texts = edit.entries().map(([uri, edits]) => ({
    textDocument: { uri: uri.toString(), version: null },
    edits: convert("textEdits", edits, budget),
  }));
  return { documentChanges: [...files, ...texts] };
};
/** An action is listed even if its change cannot be shown. */
const preview: Rule = (value, budget) => {
  try {
    return workspaceEdit(value, budget);
  } catch (error) {
    return { refused: message(error) };
  }
};

const RULES: Readonly<Record<string, Rule>> = {
  number: Number,
  uri: String,
  flag: (value) => value === true,
  text,
  exact: exactText,
  value: (value, budget) => text(stringOf(value), budget),
  symbolKind: kind(26, 7),
  completionKind: kind(25),
  highlightKind: kind(3),
  foldingKind: (value) => FOLDINGS[Number(value)],
  markup: (value, budget) => ({ kind: "markdown", value: markdown(value, budget) }),
  markedString: (value, budget) =>
    "language" in Object(value) ? convert("block", value, budget) : markdown(value, budget),
  name: byType(text, (value, budget) => text((value as Fields)["label"], budget)),
  labelDetails: byType(() => undefined, byShape("labelDetailFields")),
  insertText: (value, budget) => exactText(stringOf(value), budget),
  insertTextFormat: byType(
    () => 1,
    () => 2,
  ),
  // A label is a string, a list of parts, or a part of another label.
  label: byType(text, byShape(["labelPiece"])),
  labelPiece: (value, budget) => (typeof value === "number" ? value : convert("labelPart", value, budget)),
  command: byType(text, byShape("namedCommand")),
  item: (value, budget) => ({ ...(convert("hierarchyItem", value, budget) as object), ...budget.createHandle(value) }),
  numbers: (value, budget) => {
    budget.leftOut += Math.max(0, (value as Uint32Array).length - budget.items);
    return [...(value as Uint32Array).subarray(0, budget.items)];
  },
  textEdits: (value, budget) => {
    const { leftOut } = budget;
    const edits = convert(["textEdit"], value, budget);
    if (budget.leftOut > leftOut) throw new Error(TOO_LARGE);
    return edits;
  },
  workspaceEdit,
  preview,
};

/** Converts a value of VS Code to LSP. */
export function convert(shape: Shape, value: unknown, budget: Budget): unknown {
  if (typeof shape === "string") return (RULES[shape] ?? byShape(SHAPES[shape] ?? {}))(value, budget);
  if (Array.isArray(shape)) {
    const all = Array.isArray(value) ? (value as readonly unknown[]) : [];
    const included = all.slice(0, Math.min(MAX_LIST, budget.items));
    budget.items -= included.length;
    budget.leftOut += all.length - included.length;
    return included.map((item) => convert((shape as readonly Shape[])[0] ?? {}, item, budget));
  }
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, fieldShape]) => {
      const hasSource = typeof fieldShape === "string" && fieldShape.includes(":");
      const [from = name, to = fieldShape] = hasSource ? fieldShape.split(":") : [];
      const source = (value as Fields)[from] ?? undefined;
      const converted = source === undefined ? undefined : convert(to, source, budget);
      return converted === undefined ? [] : [[name, converted]];
    }),
  );
}
