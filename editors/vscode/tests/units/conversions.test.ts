import { expect, test } from "vitest";
import type * as vscode from "vscode";
import { asLocationLinks } from "../../src/conversions.ts";
import { Position, Range } from "./vscode.ts";

const convert = {
  asUri: (uri: vscode.Uri) => uri.toString(),
  asRange: ({ start, end }: Range) => ({
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  }),
} as unknown as Parameters<typeof asLocationLinks>[0];

const range = (line: number, from: number, to: number): vscode.Range =>
  new Range(new Position(line, from), new Position(line, to)) as vscode.Range;
const lsp = (line: number, from: number, to: number): object => ({
  start: { line, character: from },
  end: { line, character: to },
});
const uri = "file:///a.ts" as unknown as vscode.Uri;

test("a location becomes a link to all of it", () => {
  expect(asLocationLinks(convert, [{ uri, range: range(1, 2, 3) }])).toEqual([
    { targetUri: "file:///a.ts", targetRange: lsp(1, 2, 3), targetSelectionRange: lsp(1, 2, 3) },
  ]);
});

test("a link keeps what it says, and only that", () => {
  const full = {
    targetUri: uri,
    targetRange: range(1, 0, 9),
    targetSelectionRange: range(1, 2, 3),
    originSelectionRange: range(7, 4, 5),
  };
  expect(asLocationLinks(convert, [full])).toEqual([
    {
      targetUri: "file:///a.ts",
      targetRange: lsp(1, 0, 9),
      targetSelectionRange: lsp(1, 2, 3),
      originSelectionRange: lsp(7, 4, 5),
    },
  ]);
  expect(asLocationLinks(convert, [{ targetUri: uri, targetRange: range(1, 0, 9) }])).toEqual([
    { targetUri: "file:///a.ts", targetRange: lsp(1, 0, 9), targetSelectionRange: lsp(1, 0, 9) },
  ]);
});

test("both kinds come in the order of the providers", () => {
  const mixed = [
    { targetUri: uri, targetRange: range(2, 0, 1) },
    { uri, range: range(1, 0, 1) },
  ];
  expect(asLocationLinks(convert, mixed).map(({ targetRange }) => targetRange.start.line)).toEqual([2, 1]);
});
