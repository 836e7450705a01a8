import { expect, test } from "vitest";
import type * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };
import { type RequestSender, languageModelTool, register } from "../../src/tools.ts";
import { type MarkdownString, registered } from "./vscode.ts";

const token = { isCancellationRequested: false } as vscode.CancellationToken;

type RequestArguments = readonly [method: string, params: unknown, token: vscode.CancellationToken];

/** A server that records requests and gives each the same answer. */
function server(answer: () => Promise<unknown>): RequestSender & { requests: RequestArguments[] } {
  const requests: RequestArguments[] = [];
  return {
    requests,
    request: <Result>(...args: RequestArguments) => {
      requests.push(args);
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

test("register adds every tool of the manifest, and dispose removes them", () => {
  const registration = register(server(() => Promise.resolve(null)), manifest);
  expect([...registered.keys()]).toEqual(manifest.contributes.languageModelTools.map(({ name }) => name));
  registration.dispose();
  expect(registered.size).toBe(0);
});

test("a call contains the input, the name of the tool in zubi, and the budget if there is one", async () => {
  const sender = server(() => Promise.resolve({ text: "at a.ts:1:2 f\n[editor · ready]" }));
  expect(await invoke("lsp_definition", { symbol: "f" }, sender)).toBe("at a.ts:1:2 f\n[editor · ready]");
  await invoke("zubi_call_tool", { tool: "jira.createTicket" }, sender, 500);
  expect(sender.requests).toEqual([
    ["zubi/tools/call", { id: "lsp_definition", args: { symbol: "f" }, confirmed: true }, token],
    ["zubi/tools/call", { id: "call_tool", args: { tool: "jira.createTicket" }, confirmed: true, budget: 500 }, token],
  ]);
});

test("the result contains only the text of the answer", async () => {
  const sender = server(() => Promise.resolve({ text: "Failed to echo: no", isError: true, code: "failed", data: { a: 1 } }));
  expect(await invoke("zubi_editor", {}, sender)).toBe("Failed to echo: no");
});

test.each([
  ["no server", "Error in domainlang_get: no server"],
  ["Invalid input: fqn: must be a text", "Invalid input: fqn: must be a text"],
  ["Failed to read the model. Try again.", "Failed to read the model. Try again."],
])("invoke returns a failure as text: %s", async (thrown, text) => {
  expect(await invoke("domainlang_get", {}, server(() => Promise.reject(new Error(thrown))))).toBe(text);
});

test("the confirmation shows the server's message", async () => {
  const answering = (answer: object): RequestSender & { requests: RequestArguments[] } => server(() => Promise.resolve(answer));
  const sender = answering({ message: "Rename a file: `a.ts`" });
  expect(await prepare("rename_file", { oldUri: "a.ts" }, sender)).toEqual(["Rename a file: `a.ts`", undefined, undefined]);
  expect(sender.requests).toEqual([["zubi/tools/prepare", { id: "rename_file", args: { oldUri: "a.ts" } }, token]]);
  const confirmation = { title: "Deploy?", message: "```text\ndeploy.sh\n```" };
  expect(await prepare("zubi_call_tool", {}, answering({ message: "Deploy", confirmation }))).toEqual(["Deploy", "Deploy?", "```text\ndeploy.sh\n```"]);
});

test("a failed preparation shows no confirmation; the call reports the error", async () => {
  expect(await prepare("zubi_call_tool", {}, server(() => Promise.reject(new Error("no server"))))).toBe(undefined);
});
