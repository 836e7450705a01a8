// The entry point: the language server and everything that depends on it.
import * as vscode from "vscode";
import type { ZubiApi } from "../api/zubi.d.ts";
import { Contributions } from "./api.ts";
import { attach } from "./channel.ts";
import { Chat } from "./chat.ts";
import { Server } from "./client.ts";
import { registerCommands } from "./commands.ts";
import { registerMcpProvider } from "./mcp.ts";
import { models } from "./models.ts";
import { showProblem } from "./program.ts";
import { Status } from "./status.ts";
import { type Contributes, register } from "./tools.ts";

/** The extension's exports for its own tests only. */
export type Internals = Readonly<{ server: Pick<Server, "request"> }>;

/** Ends the server and waits for its end. */
export let deactivate = (): Promise<void> => Promise.resolve();

/** Starts the server without waiting for it: the tools do. */
export function activate(context: vscode.ExtensionContext): ZubiApi & Partial<Internals> {
  const status = new Status();
  const contributions = new Contributions();
  const server: Server = new Server(
    context.extensionPath,
    (client) => attach(client, [status, contributions, models, chat]),
    (problem) => {
      server.log.error(problem);
      status.reportProblem(problem);
      void showProblem(problem);
    },
  );
  const chat = new Chat(server, vscode.Uri.joinPath(context.extensionUri, "dist/page"));
  const mcpProvider = registerMcpProvider(server, status);
  deactivate = () => {
    mcpProvider.dispose();
    return server.stop();
  };
  context.subscriptions.push(
    server.log,
    status.item,
    register(server, context.extension.packageJSON as Contributes),
    registerCommands(server, chat),
    vscode.window.registerWebviewViewProvider("zubi.chat", chat),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      const text = "zubi: the settings hold when the language server starts again.";
      if (change.affectsConfiguration("zubi") && (await vscode.window.showInformationMessage(text, "Restart")))
        await server.restart();
    }),
  );
  void server.restart();
  return { ...contributions.api(server), ...(context.extensionMode === vscode.ExtensionMode.Test && { server }) };
}
