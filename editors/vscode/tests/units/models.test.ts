import { beforeEach, expect, test } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import { models } from "../../src/models.ts";
import {
  CancellationTokenSource, type ChatModel, chatModels, Disposable, LanguageModelError, LanguageModelTextPart, LanguageModelToolCallPart,
} from "./vscode.ts";

/** The notifications to the server before an answer. */
const deltas: unknown[] = [];
const handlers = new Map<string, (params: unknown, token: unknown) => Promise<unknown>>();
models.attach({
  onRequest: (method: string, handler: (params: unknown, token: unknown) => Promise<unknown>) => {
    handlers.set(method, handler);
    return new Disposable();
  },
  sendNotification: (method: string, params: unknown) => Promise.resolve(void deltas.push([method, params])),
} as unknown as LanguageClient);

const { token } = new CancellationTokenSource();
const request = (method: string, params: unknown): Promise<unknown> => Promise.resolve(handlers.get(method)?.(params, token));

/** A model that answers with these parts, or throws. */
function model(id: string, parts: () => readonly unknown[]): ChatModel & { readonly requests: unknown[] } {
  const requests: unknown[] = [];
  async function* stream(): AsyncIterable<unknown> {
    for (const part of parts()) yield await Promise.resolve(part);
  }
  const sendRequest = (...params: unknown[]): Promise<{ stream: AsyncIterable<unknown> }> => {
    requests.push(params);
    return Promise.resolve({ stream: stream() });
  };
  return { id, vendor: "test", family: "tests", name: id.toUpperCase(), maxInputTokens: 1000, sendRequest, requests };
}

const REQUEST = { id: "m", vendor: "test", messages: [], tools: [], token: 7 };

beforeEach(() => {
  deltas.length = chatModels.length = 0;
});

test("the editor lists the models of all extensions unchanged", async () => {
  expect(await request("zubi/model/list", null)).toEqual({ models: [] });
  chatModels.push(model("m", () => []));
  expect(await request("zubi/model/list", null)).toEqual({
    models: [{ id: "m", vendor: "test", family: "tests", name: "M", maxInputTokens: 1000 }],
  });
});

test("the editor sends deltas before the whole answer and recognizes thoughts by their shape", async () => {
  chatModels.push(model("m", () => [
    { value: ["Let ", "me see."] },
    new LanguageModelTextPart("I look"),
    { mimeType: "image/png", data: new Uint8Array() },
    new LanguageModelTextPart("."),
    new LanguageModelToolCallPart("c1", "file_read", { path: "a", nothing: undefined }),
    new LanguageModelToolCallPart("c2", "file_list", {}),
  ]));
  expect(await request("zubi/model/request", REQUEST)).toEqual({
    text: "I look.",
    thought: "Let me see.",
    calls: [{ id: "c1", name: "file_read", input: { path: "a" } }, { id: "c2", name: "file_list", input: {} }],
  });
  const expected = [{ thought: "Let " }, { thought: "me see." }, { text: "I look" }, { text: "." }];
  expect(deltas).toEqual(expected.map((delta) => ["zubi/model/piece", { token: 7, ...delta }]));
});

test("the model receives messages, tools and the output limit in the editor's types", async () => {
  const requests = model("m", () => []);
  chatModels.push(requests);
  const call = { id: "c1", name: "file_read", input: { path: "a" } };
  await request("zubi/model/request", {
    ...REQUEST,
    messages: [
      { role: "user", parts: [{ text: "Read it." }] },
      { role: "assistant", parts: [{ text: "Yes." }, { call }] },
      { role: "user", parts: [{ outcome: { id: "c1", text: "hello" } }] },
    ],
    tools: [{ name: "file_read", description: "Reads.", inputSchema: { type: "object" } }],
    maxOutput: 100,
  });
  expect(requests.requests).toEqual([[
    [
      { role: 1, content: [{ value: "Read it." }] },
      { role: 2, content: [{ value: "Yes." }, { callId: "c1", name: "file_read", input: { path: "a" } }] },
      { role: 1, content: [{ callId: "c1", content: [{ value: "hello" }] }] },
    ],
    {
      justification: expect.stringContaining("zubi") as string,
      modelOptions: { max_tokens: 100 },
      tools: [{ name: "file_read", description: "Reads.", inputSchema: { type: "object" } }],
    },
    token,
  ]]);
});

const quota = Object.assign(new Error("Nothing is left."), { name: "ChatQuotaExceeded" });

test.each([
  ["no model", undefined, "NotFound", "there is no model test/m"],
  ["the editor's own error", new LanguageModelError("Not allowed.", "NoPermissions"), "NoPermissions", "Not allowed."],
  ["an extension's error", quota, "ChatQuotaExceeded", "Nothing is left."],
  ["an extension's error inside of the editor's", new LanguageModelError("It failed.", "Unknown", quota), "ChatQuotaExceeded", "Nothing is left."],
  ["something else", "thrown", "", "thrown"],
])("the answer contains the error: %s", async (_, thrown, code, message) => {
  if (thrown !== undefined) chatModels.push(model("m", () => { throw thrown as Error; }));
  expect(await request("zubi/model/request", REQUEST)).toEqual({ text: "", thought: "", calls: [], error: { code, message } });
});
