// The editor's models drive zubi's agent, and other extensions give it tasks.
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { ZubiApi } from "../../../api/zubi.d.ts";
import type { Answer, Script } from "../models/src/extension.ts";
import { type Case, file, until } from "./harness.ts";
import { answerDialog } from "./page.ts";

/** Sets the model's next answer and clears its requests. */
export async function script(...answers: readonly Answer[]): Promise<Script> {
  const extension = vscode.extensions.getExtension<Script>("zubi-tests.models");
  assert.ok(extension);
  const script = await extension.activate();
  script.answers.splice(0, Infinity, ...answers);
  script.requests.length = 0;
  return script;
}

/** zubi's API, as another extension receives it. */
async function zubi(): Promise<ZubiApi> {
  const extension = vscode.extensions.getExtension<ZubiApi>("zubi.zubi");
  assert.ok(extension);
  return extension.activate();
}

/** The messages of one kind in the model's last request. */
function received({ requests }: Script, kind: "text" | "outcome"): readonly string[] {
  return (requests.at(-1)?.messages ?? []).flatMap(({ parts }) => parts.flatMap((part) => part[kind] ?? []));
}

const READ = { name: "file_read", input: { path: "web/src/shape.ts" } };

export const models: readonly Case[] = [
  {
    name: "a model of another extension works on a task, with zubi's tools",
    body: async () => {
      const model = await script({ text: "I read it. ", calls: [READ, { name: "file_list", input: { path: "web" } }] }, { text: "It is a shape." });
      assert.equal(await (await zubi()).runAgent("What is it?", { systemPrompt: "Speak plainly." }), "It is a shape.");
      assert.equal(model.requests.length, 2);
      assert.ok(model.requests[0]?.tools.includes("file_read"));
      assert.match(received(model, "text")[0] ?? "", /^Speak plainly\./);
      const [read = "", listed = ""] = received(model, "outcome");
      assert.match(read, /interface Shape/);
      assert.match(listed, /src/);
      // All parts that result from one answer are in one message.
      assert.deepEqual(model.requests[1]?.messages.at(-1)?.parts.length, 2);
    },
  },
  {
    name: "a task has the given tools, the one that undoes their edits, and the given number of requests",
    body: async () => {
      const model = await script({ calls: [READ] }, { text: "Late." });
      const run = (await zubi()).runAgent("Look.", { model: "editor/scripted", toolFilter: ["file.*", "!file.write"], maxIterations: 1 });
      await assert.rejects(run, /has not finished \(iterations\)/);
      const tools = model.requests[0]?.tools ?? [];
      const files = tools.filter((tool) => tool !== "undo_edit");
      assert.ok(files.length > 0 && files.every((tool) => tool.startsWith("file_") && tool !== "file_write"), tools.join());
      assert.ok(tools.includes("undo_edit"), tools.join());
    },
  },
  {
    name: "a cancelled task ends, and so does the model's answer",
    body: async () => {
      const model = await script({ text: "Well, ", waits: true });
      const source = new vscode.CancellationTokenSource();
      const events: string[] = [];
      const subscription = model.events((event) => {
        events.push(event);
        if (event === "waits") source.cancel();
      });
      await assert.rejects((await zubi()).runAgent("Wait.", {}, source.token), vscode.CancellationError);
      await until(model.events, () => events.includes("cancelled"));
      subscription.dispose();
    },
  },
  {
    name: "two tasks run at once, and the reason for a missing answer is reported",
    body: async () => {
      await script({ text: "Same." }, { text: "Same." });
      const api = await zubi();
      assert.deepEqual(await Promise.all([api.runAgent("One."), api.runAgent("Two.")]), ["Same.", "Same."]);
      await script({ fails: { name: "ChatQuotaExceeded", message: "Nothing is left." } });
      await assert.rejects(api.runAgent("More."), /your quota of `editor\/gpt-4o` is used up \(Nothing is left\.\)/);
      await assert.rejects(api.runAgent("More.", { model: "editor/none" }), /the editor has no model `none`; it has editor\/gpt-4o, editor\/scripted/);
    },
  },
  {
    name: "a task's call that needs approval opens a dialog, whatever the task claims",
    body: async () => {
      const model = await script({ calls: [{ name: "file_write", input: { path: ".vscode/tasks.json", content: "{}" } }] }, { text: "I may not." });
      const run = (await zubi()).runAgent("Write it.", { autoApprove: true });
      assert.match(await answerDialog("Cancel", "chat-dialog"), /file\.write wants to run/);
      assert.equal(await run, "I may not.");
      assert.match(received(model, "outcome")[0] ?? "", /the user denied it/);
      assert.ok(!existsSync(file(".vscode/tasks.json").fsPath));
    },
  },
];
