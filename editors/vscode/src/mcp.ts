// Registers an MCP server with the tools that this workspace adds; the server uses this window's host.
import * as vscode from "vscode";
import type { Server } from "./client.ts";
import { folderFlags } from "./program.ts";
import type { Status } from "./status.ts";

/** Registers the server while it runs in a trusted folder. */
export function registerMcpProvider(
  server: Pick<Server, "program">,
  status: Pick<Status, "host" | "onDidChange">,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  let isRemoved = false;
  const provideMcpServerDefinitions = (): vscode.McpServerDefinition[] => {
    const { instance, revision } = status.host ?? {};
    if (isRemoved || !vscode.workspace.isTrusted || !instance || !server.program) return [];
    // The other tools are language model tools of this extension already.
    const args = [...folderFlags(), "--toolsets", "declared,contributed,external", "mcp"];
    // A new version makes VS Code request the tools again.
    return [
      new vscode.McpStdioServerDefinition(
        "zubi",
        server.program,
        args,
        { ZUBI_INSTANCE: instance },
        `${instance}.${revision ?? 0}`,
      ),
    ];
  };
  const provider = { onDidChangeMcpServerDefinitions: changed.event, provideMcpServerDefinitions };
  const notify = (): void => {
    changed.fire();
  };
  // VS Code first sees that the server is gone, and ends the process that it started.
  const removal = {
    dispose: () => {
      isRemoved = true;
      notify();
    },
  };
  const registered = vscode.lm.registerMcpServerDefinitionProvider("zubi", provider);
  return vscode.Disposable.from(removal, registered, status.onDidChange(notify), changed);
}
