// Tells the server what the editor shows: the active document, the open ones, and where diagnostics changed.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { EDITOR_DID_CHANGE, type EditorDidChangeParams } from "./protocol.ts";

/** What this file needs of the client. */
export type Listener = Pick<LanguageClient, "isRunning" | "onDidChangeState" | "sendNotification">;

/** Follows the editor until it is disposed. */
export function follow(client: Listener): vscode.Disposable {
  const tell = (changed: readonly vscode.Uri[] = []): void => {
    if (!client.isRunning()) return;
    // A connection that breaks now is the client's to notice; the next server hears everything when it has started.
    client.sendNotification(EDITOR_DID_CHANGE, shown(changed)).catch(() => undefined);
  };
  return vscode.Disposable.from(
    client.onDidChangeState(() => { tell(vscode.languages.getDiagnostics().map(([uri]) => uri)); }),
    vscode.window.onDidChangeActiveTextEditor(() => { tell(); }),
    vscode.workspace.onDidOpenTextDocument(() => { tell(); }),
    vscode.workspace.onDidCloseTextDocument(() => { tell(); }),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => { tell(uris); }),
  );
}

function shown(changed: readonly vscode.Uri[]): EditorDidChangeParams {
  return {
    active: vscode.window.activeTextEditor?.document.uri.toString() ?? null,
    open: vscode.workspace.textDocuments.filter((document) => !document.isClosed).map(({ uri }) => uri.toString()),
    diagnosticsUris: changed.map((uri) => uri.toString()),
  };
}
