import { expect, test } from "vitest";
import type * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };
import { type RequestSender, languageModelTool, register } from "../../src/tools.ts";
import { type MarkdownString, registered } from "./vscode.ts";

const token = { isCancellationRequested: false } as vscode.CancellationToken;

type Question = readonly [method: string, params: unknown, token: vscode.CancellationToken];

/** A server that records requests and gives the same answer to each. */
function server(answer: () => Promise<unknown>): RequestSender & { questions: Question[] } {
  const questions: Question[] = [];
  return {
    questions,
    request: <Result>(...question: Question) => {
      questions.push(question);
      return answer() as Promise<Result>;
    },
  };
}

async function invoke(name: string, input: object, sender: RequestSender, tokenBudget?: number): Promise<string> {
  const options = {
    input,
    toolInvocationToken: undefined,
    ...(tokenBudget === undefined ? {} : { tokenizationOptions: { tokenBudget, countTokens: () => Promise.resolve(0) } }),
  };
  const result = await languageModelTool(name, sender).invoke(options, token);
  return (result?.content as vscode.LanguageModelTextPart[]).map(({ value }) => value).join("|");
}

async function prepare(name: string, input: object, sender: RequestSender): Promise<unknown> {
  const prepared = await languageModelTool(name, sender).prepareInvocation?.({ input }, token);
  const text = (markdown: unknown): unknown => (markdown as MarkdownString | undefined)?.value;
  return prepared && [text(prepared.invocationMessage), prepared.confirmationMessages?.title, text(prepared.confirmationMessages?.message)];
}

test("every tool of the manifest is registered, and taken back", () => {
  const registration = register(server(() => Promise.resolve(null)), manifest);
  expect([...registered.keys()]).toEqual(manifest.contributes.languageModelTools.map(({ name }) => name));
  registration.dispose();
  expect(registered.size).toBe(0);
});

test("the input alone is the tool's, by the name that zubi knows, with the budget if there is one", async () => {
  const sender = server(() => Promise.resolve({ text: "at a.ts:1:2 f\n[editor · ready]" }));
  expect(await invoke("lsp_definition", { symbol: "f" }, sender)).toBe("at a.ts:1:2 f\n[editor · ready]");
  await invoke("zubi_call_tool", { tool: "jira.createTicket" }, sender, 500);
  expect(sender.questions).toEqual([
    ["zubi/tools/call", { id: "lsp_definition", args: { symbol: "f" }, confirmed: true }, token],
    ["zubi/tools/call", { id: "call_tool", args: { tool: "jira.createTicket" }, confirmed: true, budget: 500 }, token],
  ]);
});

test("an answer is a result of texts, whatever else it has", async () => {
  const sender = server(() => Promise.resolve({ text: "Failed to echo: no", isError: true, code: "failed", data: { a: 1 } }));
  expect(await invoke("zubi_editor", {}, sender)).toBe("Failed to echo: no");
});

test.each([
  ["no server", "Error in domainlang_get: no server"],
  ["Invalid input: fqn: must be a text", "Invalid input: fqn: must be a text"],
  ["Failed to read the model. Try again.", "Failed to read the model. Try again."],
])("a failure is a text: %s", async (thrown, text) => {
  expect(await invoke("domainlang_get", {}, server(() => Promise.reject(new Error(thrown))))).toBe(text);
});

test("what the user reads and confirms is what the server says", async () => {
  const says = (answer: object): RequestSender & { questions: Question[] } => server(() => Promise.resolve(answer));
  const sender = says({ message: "Rename a file: `a.ts`" });
  expect(await prepare("rename_file", { oldUri: "a.ts" }, sender)).toEqual(["Rename a file: `a.ts`", undefined, undefined]);
  expect(sender.questions).toEqual([["zubi/tools/prepare", { id: "rename_file", args: { oldUri: "a.ts" } }, token]]);
  const confirmation = { title: "Deploy?", message: "```text\ndeploy.sh\n```" };
  expect(await prepare("zubi_call_tool", {}, says({ message: "Deploy", confirmation }))).toEqual(["Deploy", "Deploy?", "```text\ndeploy.sh\n```"]);
});

test("what cannot be prepared is not confirmed: the call tells why", async () => {
  expect(await prepare("zubi_call_tool", {}, server(() => Promise.reject(new Error("no server"))))).toBe(undefined);
});
