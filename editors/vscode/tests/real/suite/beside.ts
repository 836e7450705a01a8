// An agent in another process, for which this window is the host while it is open.
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
      // Each attempt starts a process, so the loop needs no pause; the time limit of the case ends it.
      for (;;) {
        const status = JSON.parse(await ipc("host/status")) as Status;
        if (status.kind === "editor" && status.clients.some(({ pid }) => pid === agent)) break;
      }
      // The window stays until the agent has seen the unsaved text.
      while (!(await readFile(file("agent.seen").fsPath, "utf8").catch(() => "")).includes("seen")) {
        await ipc("ping");
      }
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
];
