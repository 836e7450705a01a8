// The grammar, tested in the library with which VS Code uses it.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import * as oniguruma from "vscode-oniguruma";
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from "vscode-textmate";

const ROOT = `${import.meta.dirname}/../../../..`;
const GRAMMAR = `${import.meta.dirname}/../../syntaxes/domain-lang.tmLanguage.json`;

let grammar: IGrammar;

beforeAll(async () => {
  const wasm = readFileSync(createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: () => Promise.resolve(parseRawGrammar(readFileSync(GRAMMAR, "utf8"), GRAMMAR)),
  });
  const loaded = await registry.loadGrammar("source.domain-lang");
  if (loaded === null) throw new Error("the grammar cannot be loaded");
  grammar = loaded;
});

interface Token {
  readonly text: string;
  readonly scopes: readonly string[];
}

/** The tokens of a text except blanks, with their scopes below the grammar's own, shortened. */
function tokens(text: string): Token[] {
  let state = INITIAL;
  return text.split("\n").flatMap((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens
      .map(({ startIndex, endIndex, scopes }) => ({
        text: line.slice(startIndex, endIndex),
        scopes: scopes.slice(1).map((scope) => scope.replace(".domain-lang", "")),
      }))
      .filter((token) => token.text.trim() !== "");
  });
}

/** Renders one token per line: its text and its innermost scope. */
const check = (text: string): string =>
  tokens(text).map((token) => `${token.text.trim()}  ${token.scopes.at(-1) ?? "-"}`).join("\n");

test("an element with its name and properties", () => {
  expect(check(`/** Doc */ Domain Sales in Shop { vision: "a \\" b" type is 'Core' } // end`)).toMatchInlineSnapshot(`
    "/**  comment.block.documentation
    Doc  comment.block.documentation
    */  comment.block.documentation
    Domain  storage.type
    Sales  entity.name.type
    in  keyword.other.clause
    Shop  variable.other
    {  punctuation
    vision  support.type.property-name
    :  keyword.operator.assignment
    "  string.quoted.double
    a  string.quoted.double
    \\"  constant.character.escape
    b  string.quoted.double
    "  string.quoted.double
    type  support.type.property-name
    is  keyword.operator.assignment.word
    '  string.quoted.single
    Core  string.quoted.single
    '  string.quoted.single
    }  punctuation
    // end  comment.line.double-slash"
  `);
});

test("a relationship: patterns, arrows, this", () => {
  expect(check("this [OHS, PL] -> [CF] Billing\nA->B <-> C >< D")).toMatchInlineSnapshot(`
    "this  variable.language.this
    [  punctuation
    OHS  constant.language.pattern
    ,  punctuation
    PL  constant.language.pattern
    ]  punctuation
    ->  keyword.operator.arrow
    [  punctuation
    CF  constant.language.pattern
    ]  punctuation
    Billing  variable.other
    A  variable.other
    ->  keyword.operator.arrow
    B  variable.other
    <->  keyword.operator.arrow
    C  constant.language.pattern
    ><  keyword.operator.arrow
    D  variable.other"
  `);
});

test("a keyword has its scope before an arrow, but not inside an identifier", () => {
  expect(check("Domain-Model xDomain Domains C-> CF C- in_")).toMatchInlineSnapshot(`
    "Domain-Model  variable.other
    xDomain  variable.other
    Domains  variable.other
    C  constant.language.pattern
    ->  keyword.operator.arrow
    CF  constant.language.pattern
    C-  variable.other
    in_  variable.other"
  `);
});

test("strings and comments can span several lines", () => {
  expect(check('/* Domain\nbc */ team: "one\nbc" Team')).toMatchInlineSnapshot(`
    "/*  comment.block
    Domain  comment.block
    bc  comment.block
    */  comment.block
    team  support.type.property-name
    :  keyword.operator.assignment
    "  string.quoted.double
    one  string.quoted.double
    bc  string.quoted.double
    "  string.quoted.double
    Team  storage.type"
  `);
});

test("every token of the examples has a scope", () => {
  const files = ["examples/shop", "examples/bank"].flatMap((directory) =>
    readdirSync(`${ROOT}/${directory}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".dlang"))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const bare = tokens(readFileSync(file, "utf8")).filter((token) => token.scopes.length === 0);
    expect(bare, file).toEqual([]);
  }
});
