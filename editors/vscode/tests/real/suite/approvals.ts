// VS Code shows zubi's approval prompts in dialogs, which the user answers.
import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { ToolResult, ZubiApi } from "../../../api/zubi.d.ts";
import { callTool, type Case, file, named } from "./harness.ts";
import { answerDialog, waitForAbsence, waitForText, shot } from "./page.ts";

/** A declared tool that appends a line at each run. */
const GREET = { tool: "workspace.greet", arguments: { name: "Ada" } };

/** A file that names programs; changes require approval. */
const WRITE = { tool: "file.write", arguments: { path: ".vscode/tasks.json", content: "{}" } };

export const approvals: readonly Case[] = [
  {
    name: "a read-only tool runs without confirmation",
    body: async () => {
      assert.match(await callTool(named("domainlang_get"), {}), /^\{"summary":/);
      await waitForAbsence(".monaco-dialog-box");
    },
  },
  {
    name: "VS Code's confirmation shows the file to write; cancelling it denies the call",
    body: async () => {
      const answer = callTool(named("call_tool"), WRITE).catch(String);
      const shown = await answerDialog("Cancel", "confirmation");
      assert.match(shown, /file\.write/);
      assert.match(shown, /tasks\.json/);
      assert.match(await answer, /cancel/i);
      assert.ok(!existsSync(file(".vscode/tasks.json").fsPath));
    },
  },
  {
    name: "zubi requests approval for every command that runs through call_tool",
    body: async () => {
      for (const count of [1, 2]) {
        const answer = callTool(named("call_tool"), GREET);
        const shown = await answerDialog("Allow this call");
        assert.match(shown, /workspace\.greet wants to run/);
        assert.match(shown, /printf/);
        assert.match(shown, /Ada/);
        assert.match(await answer, /Hello, Ada/);
        assert.equal(runs(), count);
      }
    },
  },
  {
    name: "zubi requests approval for a call of the API, and closing the dialog denies it",
    body: async () => {
      const before = runs();
      const answer = greet();
      const shown = await answerDialog("Cancel", "modal");
      assert.match(shown, /workspace\.greet wants to run/);
      assert.match(shown, /printf/);
      const { success, error = "" } = await answer;
      assert.ok(!success);
      assert.match(error, /the user denied it/);
      assert.equal(runs(), before);
    },
  },
  {
    name: "an approval for one call does not cover the next call",
    body: async () => {
      const before = runs();
      for (const count of [1, 2]) {
        const answer = greet();
        await answerDialog("Allow this call");
        const { success, data } = await answer;
        assert.ok(success);
        assert.match(JSON.stringify(data), /Hello, Ada/);
        assert.equal(runs(), before + count);
      }
    },
  },
  {
    name: "a call that is allowed for the session needs no second approval",
    body: async () => {
      const before = runs();
      const first = greet();
      await answerDialog("session");
      assert.ok((await first).success);
      assert.ok((await greet()).success);
      assert.match(await callTool(named("call_tool"), GREET), /Hello, Ada/);
      assert.equal(runs(), before + 3);
      await shot("approved");
    },
  },
];

/** Cases with the setting `zubi.autoApprove`, and a user's rule that denies one tool. */
export const approved: readonly Case[] = [
  {
    name: "with autoApprove, a call that needs approval runs without a prompt",
    body: async () => {
      assert.match(await callTool(named("call_tool"), GREET), /Hello, Ada/);
      assert.ok((await greet()).success);
      assert.equal(runs(), 2);
    },
  },
  {
    name: "with autoApprove, a rule still denies a call",
    body: async () => {
      const text = await callTool(named("call_tool"), { tool: "workspace.part", arguments: { name: "Ada" } });
      assert.match(text, /parting is not allowed; see the rule at /);
      const { success, error = "" } = await zubi().executeTool("workspace.part", { name: "Ada" });
      assert.deepEqual([success, error.includes("parting is not allowed")], [false, true], error);
      assert.ok(!existsSync(file("parted.txt").fsPath));
    },
  },
];

/** Cases in a folder that the user does not trust. */
export const untrusted: readonly Case[] = [
  {
    name: "in an untrusted folder only the bundled program runs, and no tool of the folder",
    body: async () => {
      await waitForText('.statusbar-item:has-text("Restricted Mode")');
      assert.equal(vscode.workspace.isTrusted, false);
      const text = await callTool(named("domainlang_get"), {});
      const isBundled = existsSync(path.join(vscode.extensions.getExtension("zubi.zubi")?.extensionPath ?? "", "server/zubi"));
      assert.match(text, isBundled ? /^\{"summary":/ : /^Error in domainlang_get: .*not running/);
      const called = await callTool(named("call_tool"), GREET);
      assert.match(called, isBundled ? /trust/ : /^Error in .*not running/);
      assert.equal(runs(), 0);
      await shot("untrusted");
    },
  },
];

function zubi(): ZubiApi {
  const extension = vscode.extensions.getExtension<ZubiApi>("zubi.zubi");
  assert.ok(extension?.isActive);
  return extension.exports;
}

function greet(): Promise<ToolResult> {
  return zubi().executeTool(GREET.tool, GREET.arguments);
}

/** Counts the runs of the tool. */
function runs(): number {
  const written = file("greeted.txt").fsPath;
  return existsSync(written) ? readFileSync(written, "utf8").trimEnd().split("\n").length : 0;
}
