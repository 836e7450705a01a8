// An agent in another process, whose host this window becomes while it is open.
import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { file, ipc } from "./harness.ts";
import type { Case } from "./harness.ts";

interface Status {
  readonly kind: string;
  readonly clients: readonly { pid?: number }[];
}

export const beside: readonly Case[] = [
  {
    name: "an agent of a daemon uses this window while it is open",
    body: async () => {
      const editor = await vscode.window.showTextDocument(file("web/src/shape.ts"));
      assert.ok(await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), "// not saved\n"); }));
      const agent = Number(await readFile(file("agent.pid").fsPath, "utf8"));
      // Each look is a process of its own, which takes long enough. The limit of the case ends the wait.
      for (;;) {
        const status = JSON.parse(await ipc("host/status")) as Status;
        if (status.kind === "editor" && status.clients.some(({ pid }) => pid === agent)) break;
      }
      // The window stays until the agent has seen what is not saved.
      while (!(await readFile(file("agent.seen").fsPath, "utf8").catch(() => "")).includes("seen")) {
        await ipc("ping");
      }
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
];
