// VS Code's values as LSP's. The table of shapes names the fields of each kind that are converted; all others are
// omitted (arguments of commands may be anything). The class of a value does not decide: answers of commands have other
// classes, and document symbols are of two kinds at once.
import type * as vscode from "vscode";
import table from "./endpoint.json" with { type: "json" };
import { message } from "./failure.ts";

/** The name of a shape or of a rule below, after `field:` if it is created from another field; a list of one; or fields. */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };
type Fields = Readonly<Record<string, unknown>>;
type Rule = (value: unknown, room: Room) => unknown;

/** The remaining budget of an answer. Lists and read-only texts are cut; a change that does not fit whole is refused. */
export interface Room {
  items: number;
  characters: number;
  leftOut: number;
  /** The handle of an item of a hierarchy. */
  readonly keep: (item: unknown) => object;
}
export const newRoom = (keep: Room["keep"]): Room => ({ items: 100_000, characters: 4_000_000, leftOut: 0, keep });

/** Limits of one list, and of one read-only text. */
const [MAX_LIST, MAX_TEXT] = [5_000, 100_000];
const TOO_LARGE = "the editor's change is too large to be passed on: request a smaller one";
/** Links to commands lead nowhere outside the editor. */
const COMMAND_LINK = /\[([^[\]]*)\]\(command:[^()\s]*(?: "[^"]*")?\)/g;
const FOLDINGS = [undefined, "comment", "imports", "region"];
const SHAPES: Readonly<Record<string, Shape>> = table.shapes;

const text = (value: unknown, room: Room): string => {
  const cut = String(value).slice(0, Math.min(MAX_TEXT, room.characters));
  room.characters -= cut.length;
  return cut;
};
const exact: Rule = (value, room) => {
  room.characters -= String(value).length;
  if (room.characters < 0) throw new Error(TOO_LARGE);
  return String(value);
};
/** A string, or the string in a value. */
const held = (value: unknown): string => (typeof value === "string" ? value : String((value as Fields)["value"]));
const markdown: Rule = (value, room) => text(held(value).replace(COMMAND_LINK, "$1"), room);
/** One of VS Code's numbers, which begin at 0 where LSP's begin at 1. */
const kind =
  (last: number, otherwise?: number): Rule =>
  (value) =>
    Number(value) < last ? Number(value) + 1 : otherwise;
/** Applies the first rule to strings, the second to all other values. */
const ofString =
  (plain: Rule, otherwise: Rule): Rule =>
  (value, room) =>
    (typeof value === "string" ? plain : otherwise)(value, room);
const shaped =
  (shape: Shape): Rule =>
  (value, room) =>
    convert(shape, value, room);

/** VS Code's own list of a change's parts; the list for extensions lacks changes of files. */
type Parts = readonly { _type: number; from?: vscode.Uri; to?: vscode.Uri; options?: { contents?: unknown } }[];
const workspaceEdit: Rule = (value, room) => {
  const edit = value as vscode.WorkspaceEdit & { _allEntries(): Parts };
  // The types 1 and 2 are files and texts; VS Code has files first.
  const files = edit
    ._allEntries()
    .filter(({ _type }) => _type !== 2)
    .map(({ _type, from, to, options = {} }) => {
      if (_type !== 1 || !(from ?? to) || options.contents)
        throw new Error("it has parts that only the editor itself can apply");
      const [oldUri, newUri] = [from?.toString(), to?.toString()];
      const named =
        from && to ? { kind: "rename", oldUri, newUri } : { kind: to ? "create" : "delete", uri: newUri ?? oldUri };
      return { ...named, options: convert("fileOptions", options, room) };
    });
  const texts = edit
    .entries()
    .map(([uri, edits]) => ({
      textDocument: { uri: uri.toString(), version: null },
      edits: convert("textEdits", edits, room),
    }));
  return { documentChanges: [...files, ...texts] };
};
/** An action whose change cannot be shown is still listed. */
const preview: Rule = (value, room) => {
  try {
    return workspaceEdit(value, room);
  } catch (error) {
    return { refused: message(error) };
  }
};

const RULES: Readonly<Record<string, Rule>> = {
  number: Number,
  uri: String,
  flag: (value) => value === true,
  text,
  exact,
  value: (value, room) => text(held(value), room),
  symbolKind: kind(26, 7),
  completionKind: kind(25),
  highlightKind: kind(3),
  foldingKind: (value) => FOLDINGS[Number(value)],
  markup: (value, room) => ({ kind: "markdown", value: markdown(value, room) }),
  marked: (value, room) => ("language" in Object(value) ? convert("block", value, room) : markdown(value, room)),
  name: ofString(text, (value, room) => text((value as Fields)["label"], room)),
  details: ofString(() => undefined, shaped("labelDetails")),
  inserted: (value, room) => exact(held(value), room),
  insertedAs: ofString(
    () => 1,
    () => 2,
  ),
  // A string; or parts; or its position in another label.
  label: ofString(text, shaped(["labelPiece"])),
  labelPiece: (value, room) => (typeof value === "number" ? value : convert("labelPart", value, room)),
  command: ofString(text, shaped("namedCommand")),
  item: (value, room) => ({ ...(convert("hierarchyItem", value, room) as object), ...room.keep(value) }),
  numbers: (value, room) => {
    room.leftOut += Math.max(0, (value as Uint32Array).length - room.items);
    return [...(value as Uint32Array).subarray(0, room.items)];
  },
  textEdits: (value, room) => {
    const { leftOut } = room;
    const edits = convert(["textEdit"], value, room);
    if (room.leftOut > leftOut) throw new Error(TOO_LARGE);
    return edits;
  },
  workspaceEdit,
  preview,
};

/** Converts a value of VS Code to LSP. */
export function convert(shape: Shape, value: unknown, room: Room): unknown {
  if (typeof shape === "string") return (RULES[shape] ?? shaped(SHAPES[shape] ?? {}))(value, room);
  if (Array.isArray(shape)) {
    const all = Array.isArray(value) ? (value as readonly unknown[]) : [];
    const fit = all.slice(0, Math.min(MAX_LIST, room.items));
    room.items -= fit.length;
    room.leftOut += all.length - fit.length;
    return fit.map((item) => convert((shape as readonly Shape[])[0] ?? {}, item, room));
  }
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, of]) => {
      const [from = name, to = of] = typeof of === "string" && of.includes(":") ? of.split(":") : [];
      const found = (value as Fields)[from] ?? undefined;
      const made = found === undefined ? undefined : convert(to, found, room);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}
