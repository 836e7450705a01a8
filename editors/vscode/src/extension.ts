// Where VS Code begins: the language server, the tools, the commands.
import * as vscode from "vscode";
import { Server } from "./client.ts";
import { attach } from "./channel.ts";
import { register } from "./tools.ts";

let server: Server | undefined;

/** What the extension offers to its own tests, and to nobody else. */
export interface Internals {
  readonly server: Pick<Server, "request">;
}

/** Starts the server without waiting for it: the tools do. */
export function activate(context: vscode.ExtensionContext): Internals | undefined {
  const started = new Server(context, (client) => attach(client, []));
  server = started;
  context.subscriptions.push(
    started,
    register(started),
    vscode.commands.registerCommand("zubi.restart", () => started.restart()),
    vscode.commands.registerCommand("zubi.showLogs", () => { started.log.show(); }),
  );
  void started.restart();
  return context.extensionMode === vscode.ExtensionMode.Test ? { server: started } : undefined;
}

/** Ends the server and waits for its end. */
export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}
