// The conversion of VS Code's values.
import { expect, test } from "vitest";
import { convert, newBudget, type Budget, type Shape } from "../../src/conversions.ts";
import { Position, Range } from "./vscode.ts";

let handles = 0;
const budget = (): Budget => newBudget(() => ({ data: { zubi: (handles += 1) } }));
const at = (line: number, from: number, to: number): Range => new Range(new Position(line, from), new Position(line, to));
const lsp = (line: number, from: number, to: number): object => ({ start: { line, character: from }, end: { line, character: to } });
const uri = { toString: () => "file:///a.ts", _formatted: null };
const location = { uri, range: at(1, 2, 3) };
const lspLocation = { uri: "file:///a.ts", range: lsp(1, 2, 3) };
const command = { title: "Fix", command: "fix.it", arguments: [{}], tooltip: "no" };
const markdown = { value: "see [this](command:a.b?%5B1%5D) and [that](https://x.y)", isTrusted: true };

/** A workspace edit as VS Code stores it. */
function change(parts: readonly object[], texts: readonly [object, readonly object[]][] = []): object {
  return { _allEntries: () => [...parts, ...texts.map(() => ({ _type: 2 }))], entries: () => texts };
}

const cases: readonly [what: string, shape: Shape, value: unknown, lsp: unknown][] = [
  ["a location", "locationOrLink", { ...location, other: 1 }, lspLocation],
  [
    "locations and location links, without undefined fields",
    ["locationOrLink"],
    [{ targetUri: uri, targetRange: at(1, 0, 9), originSelectionRange: undefined }, location],
    [{ targetUri: "file:///a.ts", targetRange: lsp(1, 0, 9) }, lspLocation],
  ],
  [
    "a hover without links to commands",
    "hover",
    { contents: [markdown, "plain", { language: "ts", value: "let a" }] },
    { contents: ["see this and [that](https://x.y)", "plain", { language: "ts", value: "let a" }] },
  ],
  ["kinds that VS Code counts from 0", ["highlight"], [{ range: at(0, 0, 1), kind: 0 }, { range: at(0, 0, 1) }], [{ range: lsp(0, 0, 1), kind: 1 }, { range: lsp(0, 0, 1) }]],
  [
    "a symbol that has the fields of SymbolInformation and of DocumentSymbol",
    ["symbol"],
    [Object.assign(new (class SymbolInformation { readonly isFlat = true; })(), {
      name: "A", kind: 4, containerName: "", location, detail: "", range: at(1, 0, 9), selectionRange: at(1, 2, 3),
      children: [{ name: "b", kind: 99, detail: "x", range: at(1, 4, 5), selectionRange: at(1, 4, 5), children: [] }],
    })],
    [{
      name: "A", detail: "", kind: 5, range: lsp(1, 0, 9), selectionRange: lsp(1, 2, 3),
      children: [{ name: "b", detail: "x", kind: 7, range: lsp(1, 4, 5), selectionRange: lsp(1, 4, 5), children: [] }],
    }],
  ],
  ["a symbol of the workspace", "workspaceSymbol", { name: "A", kind: 4, containerName: "m", location }, { name: "A", kind: 5, containerName: "m", location: lspLocation }],
  [
    "completion items",
    "completionList",
    {
      isIncomplete: undefined,
      items: [
        { label: { label: "a", detail: "()", description: "m" }, kind: 1, insertText: { value: "a($1)" }, documentation: markdown, command },
        { label: "b", kind: 25, insertText: "b", additionalTextEdits: [{ range: at(0, 0, 0), newText: "import b;" }] },
      ],
    },
    {
      items: [
        {
          label: "a", labelDetails: { detail: "()", description: "m" }, kind: 2, insertText: "a($1)", insertTextFormat: 2,
          documentation: { kind: "markdown", value: "see this and [that](https://x.y)" }, command: { title: "Fix", command: "fix.it" },
        },
        { label: "b", insertText: "b", insertTextFormat: 1, additionalTextEdits: [{ range: lsp(0, 0, 0), newText: "import b;" }] },
      ],
    },
  ],
  [
    "signatures",
    "signatureHelp",
    { signatures: [{ label: "f(a)", documentation: "d", parameters: [{ label: "a" }, { label: [2, 3], documentation: undefined }] }], activeSignature: 0, activeParameter: 0 },
    {
      signatures: [{ label: "f(a)", documentation: { kind: "markdown", value: "d" }, parameters: [{ label: "a" }, { label: [2, 3] }] }],
      activeSignature: 0,
      activeParameter: 0,
    },
  ],
  [
    "actions, commands, and an action with an edit that cannot be converted",
    ["action"],
    [
      { title: "Import", kind: { value: "quickfix" }, isPreferred: true, edit: change([], [[uri, [{ range: at(0, 0, 0), newText: "x" }]]]), command },
      command,
      { title: "Fill in", edit: change([{ _type: 6 }]) },
    ],
    [
      {
        title: "Import", kind: "quickfix", isPreferred: true, command: { title: "Fix", command: "fix.it" },
        edit: { documentChanges: [{ textDocument: { uri: "file:///a.ts", version: null }, edits: [{ range: lsp(0, 0, 0), newText: "x" }] }] },
      },
      { title: "Fix", command: "fix.it" },
      { title: "Fill in", edit: { refused: "it has parts that only the editor itself can apply" } },
    ],
  ],
  [
    "file operations",
    "workspaceEdit",
    change([{ _type: 1, from: uri, to: uri, options: { overwrite: true, contents: undefined } }, { _type: 1, to: uri }, { _type: 1, from: uri, to: undefined }]),
    {
      documentChanges: [
        { kind: "rename", oldUri: "file:///a.ts", newUri: "file:///a.ts", options: { overwrite: true } },
        { kind: "create", uri: "file:///a.ts", options: {} },
        { kind: "delete", uri: "file:///a.ts", options: {} },
      ],
    },
  ],
  [
    "inlay hints",
    ["inlayHint"],
    [{ position: new Position(1, 2), label: ": T", kind: 1, paddingLeft: true }, { position: new Position(1, 2), label: [{ value: "p", location, command }] }],
    [{ position: { line: 1, character: 2 }, label: ": T", kind: 1, paddingLeft: true }, { position: { line: 1, character: 2 }, label: [{ value: "p", location: lspLocation }] }],
  ],
  [
    "a hierarchy item with its handle",
    [{ from: "item", fromRanges: ["range"] }],
    [{ from: { name: "f", kind: 11, uri, range: at(1, 0, 9), selectionRange: at(1, 2, 3), _sessionId: "s" }, fromRanges: [at(2, 0, 1)] }],
    [{ from: { name: "f", kind: 12, uri: "file:///a.ts", range: lsp(1, 0, 9), selectionRange: lsp(1, 2, 3), data: { zubi: 1 } }, fromRanges: [lsp(2, 0, 1)] }],
  ],
  ["folding ranges", ["folding"], [{ start: 1, end: 3, kind: 2 }, { start: 0, end: 1 }], [{ startLine: 1, endLine: 3, kind: "imports" }, { startLine: 0, endLine: 1 }]],
  ["nested selection ranges", "selection", { range: at(1, 2, 3), parent: { range: at(1, 0, 9) } }, { range: lsp(1, 2, 3), parent: { range: lsp(1, 0, 9) } }],
  [
    "semantic tokens with their legend",
    "tokens",
    { data: Uint32Array.of(0, 1, 2, 3, 4), legend: { tokenTypes: ["class"], tokenModifiers: [] } },
    { data: [0, 1, 2, 3, 4], legend: { tokenTypes: ["class"], tokenModifiers: [] } },
  ],
  ["colours", "color", { range: at(0, 0, 4), color: { red: 1, green: 0, blue: 0, alpha: 1 } }, { range: lsp(0, 0, 4), color: { red: 1, green: 0, blue: 0, alpha: 1 } }],
  ["document links", "link", { range: at(0, 0, 4), target: uri, tooltip: "t" }, { range: lsp(0, 0, 4), target: "file:///a.ts", tooltip: "t" }],
  ["inline values", ["inlineValue"], [{ range: at(0, 0, 1), variableName: "a", caseSensitiveLookup: true }], [{ range: lsp(0, 0, 1), variableName: "a", caseSensitiveLookup: true }]],
];

test.each(cases)("%s", (_what, shape, value, expected) => {
  const converted = convert(shape, value, budget());
  expect(converted).toEqual(expected);
  // The value must survive JSON.
  expect(JSON.parse(JSON.stringify(converted))).toEqual(expected);
});

test("convert truncates a list and counts the omitted items", () => {
  const some = budget();
  const many = Array.from({ length: 5002 }, () => location);
  expect(convert(["locationOrLink"], many, some)).toHaveLength(5000);
  expect(some.leftOut).toBe(2);
  some.items = 1;
  expect(convert(["locationOrLink"], [location, location], some)).toHaveLength(1);
});

test("convert refuses an edit that is too large or that only the editor can apply", () => {
  const edit = { range: at(0, 0, 0), newText: "x" };
  expect(() => convert("textEdits", Array.from({ length: 5001 }, () => edit), budget())).toThrow(/too large/);
  expect(() => convert("textEdits", [{ ...edit, newText: "x".repeat(5_000_000) }], budget())).toThrow(/too large/);
  expect(() => convert("workspaceEdit", change([{ _type: 1, from: undefined, to: undefined }]), budget())).toThrow(/only the editor/);
});

test("convert truncates a long text", () => {
  const hover = convert("hover", { contents: ["x".repeat(1_000_000)] }, budget()) as { contents: string[] };
  expect(hover.contents[0]).toHaveLength(100_000);
});
