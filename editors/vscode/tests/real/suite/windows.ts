// Several windows, reloaded windows, and agents in other processes that use them.
import * as assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { callTool, type Case, declared, exists, file, waitForExit, ipc } from "./harness.ts";
import { serverPids } from "./processes.ts";

interface Status {
  readonly kind: string;
  readonly clients: readonly { readonly pid?: number }[];
}

/** One of several windows: it shows unsaved text, and stays until its agent has seen that. */
export const window: readonly Case[] = [
  {
    name: "this window's agent reads unsaved text and uses this window",
    body: async () => {
      const text = `// not saved in ${vscode.workspace.name ?? ""}\n`;
      const editor = await vscode.window.showTextDocument(file("src/shape.ts"));
      assert.ok(await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), text); }));
      await waitForHost();
      writeFileSync(file("window.ready").fsPath, "");
      await waitForAgent();
      writeFileSync(file("window.connected").fsPath, "");
      await exists(file("agent.seen").fsPath);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    },
  },
];

/** A window that is reloaded while an agent is connected. */
export const reloaded: readonly Case[] = [
  {
    name: "an agent uses this window",
    body: async () => {
      assert.match(await callTool("domainlang_get", {}), /^\{"summary":/);
      await waitForHost();
      writeFileSync(file("window.ready").fsPath, "");
      await waitForAgent();
      const [server] = serverPids();
      writeFileSync(file("server.pid").fsPath, String(server));
    },
    reloads: true,
  },
  {
    name: "a reload replaces the server, and the agent reconnects",
    body: async () => {
      const before = Number(readFileSync(file("server.pid").fsPath, "utf8"));
      assert.match(await callTool("domainlang_get", {}), /^\{"summary":/);
      await waitForExit(before);
      const servers = serverPids();
      assert.equal(servers.length, 1);
      assert.notEqual(servers[0], before);
      await waitForAgent();
      writeFileSync(file("agent.seen").fsPath, "");
    },
  },
];

/** A window whose extension is removed. */
export const disposed: readonly Case[] = [
  {
    name: "the extension runs and is uninstalled",
    body: async () => {
      assert.match(await callTool("domainlang_get", {}), /^\{"summary":/);
      writeFileSync(file("server.pid").fsPath, String(serverPids()[0]));
      await vscode.commands.executeCommand("workbench.extensions.uninstallExtension", "zubi.zubi");
    },
    reloads: true,
  },
  {
    name: "uninstalling removes the tools and commands and ends the server",
    body: async () => {
      await waitForExit(Number(readFileSync(file("server.pid").fsPath, "utf8")));
      assert.deepEqual(declared(), []);
      assert.deepEqual(vscode.lm.tools.filter(({ name }) => /^(zubi|domainlang|lsp)_/.test(name)), []);
      assert.deepEqual((await vscode.commands.getCommands()).filter((command) => command.startsWith("zubi.")), []);
      assert.deepEqual(serverPids(), []);
    },
  },
];

/**
 * Waits until this window's host can be found. Each attempt starts a process, so the loop needs no pause; the time
 * limit of the case ends it.
 */
async function waitForHost(): Promise<void> {
  for (;;) {
    const status = await ipc("host/status").then((text) => JSON.parse(text) as Status, () => undefined);
    if (status?.kind === "editor") return;
  }
}

/** Waits until the agent is a client of this window. */
async function waitForAgent(): Promise<void> {
  for (;;) {
    const status = await ipc("host/status").then((text) => JSON.parse(text) as Status, () => undefined);
    const pid = agent();
    if (status?.kind === "editor" && pid !== undefined && status.clients.some((client) => client.pid === pid)) return;
  }
}

/** The process id of this window's agent, once it exists. */
function agent(): number | undefined {
  const written = file("agent.pid").fsPath;
  return existsSync(written) ? Number(readFileSync(written, "utf8")) : undefined;
}
