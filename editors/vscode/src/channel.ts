// The editor channel of one client: handlers for every request that `zubi lsp` can send to the editor.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { handleEdits } from "./edits.ts";
import { attachEndpoint, METHODS } from "./endpoint.ts";
import { sendable } from "./failure.ts";
import * as protocol from "./protocol.ts";
import { handleConfig } from "./settings.ts";
import { OpenState } from "./state.ts";

/** The channel of one client: sends the open files that the server lacks, and detaches. */
export type EditorChannel = ReturnType<typeof attach>;

/** A feature of the extension that handles requests of each client, one after the other. */
export interface ChannelFeature {
  /** Called before the client is started; the returned object undoes it. */
  attach(client: LanguageClient): vscode.Disposable;
}

/** The requests to the editor, except those to its language features. */
const REQUESTS = [
  protocol.EDITOR_APPLY,
  protocol.EDITOR_FLUSH,
  protocol.EDITOR_COMMAND,
  protocol.EDITOR_CONFIG,
  protocol.INVOKE_CONTRIBUTED,
  protocol.APPROVAL_REQUEST,
  protocol.AGENT_EVENTS,
  protocol.MODEL_LIST,
  protocol.MODEL_REQUEST,
];
/** Settings that the server receives; `package.json` has their types and defaults. */
const SETTINGS = [
  "headlessFallback",
  "autoApprove",
  "toolFilter",
  "env",
  "allowedCommands",
  "ipcPort",
  "useMockLLM",
  "model",
  "maxIterations",
];

/** The editor's data for `initialize`. */
export function channelOptions(): protocol.ChannelOptions {
  const settings = vscode.workspace.getConfiguration("zubi");
  const values = Object.fromEntries(SETTINGS.map((name) => [name, settings.get(name)])) as Omit<
    protocol.ChannelOptions,
    "editorProtocol"
  >;
  const { isTrusted } = vscode.workspace;
  return { ...values, editorProtocol: protocol.EDITOR_PROTOCOL, editorMethods: [...METHODS, ...REQUESTS], isTrusted };
}

/** Registers the handlers for the server's requests on a client; `features` outlive clients. */
export function attach(
  client: LanguageClient,
  features: readonly ChannelFeature[],
): { flush(): Promise<void>; dispose(): void } {
  const state = new OpenState((method, params) => client.sendNotification(method, params));
  const subscriptions = vscode.Disposable.from(
    state,
    attachEndpoint(client),
    handleEdits(client, state),
    ...features.map((feature) => feature.attach(client)),
    client.onDidChangeState(() => client.isRunning() && void state.restart()),
    vscode.commands.registerCommand("zubi.refreshViews", () => state.restart().then(() => true)),
    client.onRequest(protocol.EDITOR_FLUSH, () => state.flush().then(() => null)),
    client.onRequest(protocol.EDITOR_CONFIG, handleConfig),
    client.onRequest(protocol.APPROVAL_REQUEST, showApprovalDialog),
    client.onRequest(
      protocol.EDITOR_COMMAND,
      async ({ command, args }: protocol.EditorCommandParams): Promise<unknown> => {
        const run = async (): Promise<unknown> => sendable(await vscode.commands.executeCommand(command, ...args));
        if (command !== "zubi.restart") return run();
        // The restart ends the server that requests it, so the response must go first.
        setImmediate(() => void run());
        return null;
      },
    ),
  );
  return {
    flush: () => state.flush(),
    dispose: () => {
      subscriptions.dispose();
    },
  };
}

/** Shows an approval dialog. Closing it denies the call. */
async function showApprovalDialog({
  title,
  detail,
  options,
}: protocol.ApprovalRequestParams): Promise<protocol.ApprovalRequestResult> {
  const items = options.map((option) => ({ title: option }));
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...items);
  return { choice: chosen === undefined ? null : items.indexOf(chosen) };
}
