// A program that starts and sends nothing: a restart ends it without waiting for an answer.
import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { env, kill } from "node:process";
import * as vscode from "vscode";
import { PROGRAM } from "../wire.ts";
import { callTool, type Case, exists, waitForExit } from "./harness.ts";

export const silent: readonly Case[] = [
  {
    name: "a restart ends a silent server, and waiting callers get an answer",
    body: async () => {
      // In its first run the program sends nothing; it writes its process id next to itself.
      const written = `${env[PROGRAM] ?? ""}.pid`;
      await exists(written);
      const pid = Number(readFileSync(written, "utf8"));
      kill(pid, 0);
      const waiting = callTool("domainlang_get", {});
      await vscode.commands.executeCommand("zubi.restart");
      assert.match(await waiting, /^\{"summary":/);
      await waitForExit(pid);
    },
  },
];
