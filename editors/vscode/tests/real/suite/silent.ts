// A program that starts and says nothing: starting it again ends it and waits for nothing that does not come.
import * as assert from "node:assert/strict";
import { existsSync, readFileSync, watch } from "node:fs";
import * as path from "node:path";
import { env, kill } from "node:process";
import * as vscode from "vscode";
import { ask, type Case } from "./harness.ts";

export const silent: readonly Case[] = [
  {
    name: "a server that says nothing is ended when it is started again, and who waits for it is answered",
    body: async () => {
      // The program says nothing the first time that it runs, and writes its process id beside itself.
      const written = `${env["ZUBI_TEST_SERVER"] ?? ""}.pid`;
      await exists(written);
      const pid = Number(readFileSync(written, "utf8"));
      kill(pid, 0);
      const waiting = ask("domainlang_get", {});
      await vscode.commands.executeCommand("zubi.restart");
      assert.match(await waiting, /^\{"summary":/);
      await gone(pid);
    },
  },
];

/** Waits until there is a file. */
async function exists(file: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(path.dirname(file), look);
    look();
  });
}

/** Waits until a process is gone. One that has ended stays until its parent has heard of it, and nothing tells when that is. */
async function gone(pid: number): Promise<void> {
  const isThere = (): boolean => {
    try {
      kill(pid, 0);
      return true;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
      return false;
    }
  };
  // The case's own limit ends the wait.
  while (isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
}
