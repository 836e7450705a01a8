// The client restarts a server that dies. If it dies repeatedly, the tools report a remedy, which then works.
import * as assert from "node:assert/strict";
import { kill } from "node:process";
import * as vscode from "vscode";
import { callTool, callToolForJson, type Case } from "./harness.ts";
import { serverPids } from "./processes.ts";

/** The beginning of a tool's answer while no server runs. */
const NOT_RUNNING = /^Error in domainlang_get: the zubi language server is not running\. .*"zubi: Restart Language Server"/;

/** More deaths than the client's limit for restarts. */
const DEATHS = 6;

export const stopped: readonly Case[] = [
  {
    name: "tools report a stopped server as text, and they answer again after a restart",
    body: async () => {
      let text = "";
      for (let death = 0; death < DEATHS && !NOT_RUNNING.test(text); death += 1) {
        for (const server of serverPids()) kill(server, "SIGKILL");
        text = await callTool("domainlang_get", {});
        assert.match(text, /^(\{"summary":|Error in domainlang_get: )/);
      }
      assert.match(text, NOT_RUNNING);
      assert.match(await callTool("lsp_definition", { at: "web/src/report.ts:8:15" }), /^Error in lsp_definition: /);
      await vscode.commands.executeCommand("zubi.restart");
      const answer = await callToolForJson<{ summary?: object }>("domainlang_get", {});
      assert.ok(answer.summary);
    },
  },
];
