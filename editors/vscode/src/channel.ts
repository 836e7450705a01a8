// The editor channel of one client: everything that `zubi lsp` can ask of the editor, put together.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Edits } from "./edits.ts";
import { Endpoint, METHODS } from "./endpoint.ts";
import {
  APPROVAL_REQUEST,
  type ChannelOptions,
  EDITOR_APPLY,
  EDITOR_COMMAND,
  EDITOR_CONFIG,
  EDITOR_FLUSH,
  EDITOR_PROTOCOL,
  type EditorCommandParams,
  INVOKE_CONTRIBUTED,
} from "./protocol.ts";
import { answerConfig } from "./settings.ts";
import { OpenState } from "./state.ts";

/** An attached editor. */
export interface Attached {
  /** Tells the server what is open now, if it does not know. */
  flush(): Promise<void>;
  /** Detaches it. */
  dispose(): void;
}

/** Something that answers to each client that there is, one after the other. */
export interface Part {
  /** Called before the client is started; what is returned takes it back. */
  attach(client: LanguageClient): vscode.Disposable;
}

/** Requests to the editor that are no questions to its language features. */
const REQUESTS = [EDITOR_APPLY, EDITOR_FLUSH, EDITOR_COMMAND, EDITOR_CONFIG, INVOKE_CONTRIBUTED, APPROVAL_REQUEST];

/** Where the server looks for a free port by itself. */
const DEFAULT_PORT = 9847;

/** The command that starts the server anew. */
const RESTART = "zubi.restart";

/** What the server is told of the editor when it starts. */
export function channelOptions(): ChannelOptions {
  const settings = vscode.workspace.getConfiguration("zubi");
  const ipcPort = settings.get<number>("ipcPort", DEFAULT_PORT);
  return {
    editorProtocol: EDITOR_PROTOCOL,
    editorMethods: [...METHODS, ...REQUESTS],
    headlessFallback: settings.get("headlessFallback", false),
    isTrusted: vscode.workspace.isTrusted,
    autoApprove: settings.get("autoApprove", false),
    toolFilter: settings.get<string[]>("toolFilter", []),
    env: settings.get<Record<string, string>>("env", {}),
    allowedCommands: settings.get<string[]>("allowedCommands", []),
    ...(ipcPort !== DEFAULT_PORT && { ipcPort }),
  };
}

/** Makes a client answer what the server asks of the editor; `parts` are those that outlive clients. */
export function attach(client: LanguageClient, parts: readonly Part[]): Attached {
  const state = new OpenState((method, params) => client.sendNotification(method, params));
  const attached = vscode.Disposable.from(
    state,
    new Endpoint(client),
    new Edits(client, state),
    ...parts.map((part) => part.attach(client)),
    client.onDidChangeState(() => {
      // Also when a server that has ended by itself was started again.
      if (client.isRunning()) void state.restart();
    }),
    vscode.commands.registerCommand("zubi.refreshViews", async () => {
      await state.restart();
      return true;
    }),
    client.onRequest(EDITOR_FLUSH, async () => {
      await state.flush();
      return null;
    }),
    client.onRequest(EDITOR_CONFIG, answerConfig),
    client.onRequest(EDITOR_COMMAND, async ({ command, args = [] }: EditorCommandParams): Promise<unknown> => {
      if (command === RESTART) {
        // It ends the server that asks for it, which is to be answered before.
        setImmediate(() => void vscode.commands.executeCommand(command));
        return null;
      }
      const result: unknown = await vscode.commands.executeCommand(command, ...args);
      return result ?? null;
    }),
  );
  return { flush: () => state.flush(), dispose: () => { attached.dispose(); } };
}
