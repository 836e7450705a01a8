import { expect, test } from "vitest";
import type * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };
import { type Asks, languageModelTool, register, TOOLS } from "../../src/tools.ts";
import { registered } from "./vscode.ts";

const token = { isCancellationRequested: false } as vscode.CancellationToken;

interface Question {
  readonly method: string;
  readonly params: unknown;
  readonly token: vscode.CancellationToken;
}

/** A server that remembers what it is asked and answers the same to everything. */
function server(answer: () => Promise<unknown>): Asks & { questions: Question[] } {
  const questions: Question[] = [];
  return {
    questions,
    request: <Result>(method: string, params: unknown, token: vscode.CancellationToken) => {
      questions.push({ method, params, token });
      return answer() as Promise<Result>;
    },
  };
}

async function invoke(name: string, input: object, asked: Asks, tokenBudget?: number): Promise<string> {
  const row = TOOLS.find((tool) => tool.name === name);
  if (row === undefined) throw new Error(`there is no tool ${name}`);
  const options = {
    input,
    toolInvocationToken: undefined,
    ...(tokenBudget === undefined ? {} : { tokenizationOptions: { tokenBudget, countTokens: () => Promise.resolve(0) } }),
  };
  const result = await languageModelTool(row, asked).invoke(options, token);
  return (result?.content as vscode.LanguageModelTextPart[]).map(({ value }) => value).join("|");
}

test("the manifest and the table name the same tools", () => {
  const contributed = manifest.contributes.languageModelTools.map(({ name }) => name);
  expect(contributed).toEqual(TOOLS.map(({ name }) => name));
  const taken = register(server(() => Promise.resolve(null)));
  expect([...registered.keys()]).toEqual(contributed);
  taken.dispose();
  expect(registered.size).toBe(0);
});

test.each([
  ["domainlang_validate", "domainlang/validate"],
  ["domainlang_list", "domainlang/list"],
  ["domainlang_get", "domainlang/get"],
  ["domainlang_explain", "domainlang/explain"],
])("%s passes its input on and the result back", async (tool, method) => {
  const asked = server(() => Promise.resolve({ found: true, element: { name: "A", list: [1] } }));
  expect(await invoke(tool, { fqn: "A" }, asked)).toBe('{"found":true,"element":{"name":"A","list":[1]}}');
  expect(asked.questions).toEqual([{ method, params: { fqn: "A" }, token }]);
  expect(asked.questions[0]?.token).toBe(token);
});

test("lsp_definition is a call of zubi's tool, with the budget if there is one", async () => {
  const asked = server(() => Promise.resolve({ text: "at a.ts:1:2 f\n[editor · ready]" }));
  expect(await invoke("lsp_definition", { symbol: "f" }, asked)).toBe("at a.ts:1:2 f\n[editor · ready]");
  await invoke("lsp_definition", { symbol: "f" }, asked, 500);
  expect(asked.questions.map(({ method, params }) => [method, params])).toEqual([
    ["zubi/tools/call", { id: "lsp_definition", args: { symbol: "f" } }],
    ["zubi/tools/call", { id: "lsp_definition", args: { symbol: "f" }, budget: 500 }],
  ]);
});

test.each([
  ["no server", "Error in domainlang_get: no server"],
  ["Invalid input: fqn: must be a text", "Invalid input: fqn: must be a text"],
  ["Failed to read the model. Try again.", "Failed to read the model. Try again."],
])("a failure is a text: %s", async (thrown, text) => {
  expect(await invoke("domainlang_get", {}, server(() => Promise.reject(new Error(thrown))))).toBe(text);
});

test.each([
  ["domainlang_validate", {}, "Validating the DomainLang workspace"],
  ["domainlang_validate", { file: "a.dlang" }, "Validating a.dlang"],
  ["domainlang_list", { type: "bcs" }, "Listing bcs"],
  ["domainlang_get", {}, "Summarizing the DomainLang model"],
  ["domainlang_get", { fqn: 7 }, "Looking up 7"],
  ["domainlang_explain", { fqn: "A.B" }, "Explaining A.B"],
  ["lsp_definition", { at: "a.ts:1:2" }, "Looking for the definition of a.ts:1:2"],
])("what the user reads while %s runs with %j", (name, input, text) => {
  expect(TOOLS.find((tool) => tool.name === name)?.progress(input)).toBe(text);
});
