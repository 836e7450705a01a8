// Tells the server what the editor shows: the active document, the open ones, and where diagnostics changed.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { EDITOR_DID_CHANGE, type EditorDidChangeParams } from "./protocol.ts";

/** Follows the editor until it is disposed. */
export function follow(client: LanguageClient): vscode.Disposable {
  const tell = (changed: readonly vscode.Uri[] = []): void => {
    if (client.state !== State.Running) return;
    // A connection that breaks now is the client's to notice; the next server hears everything when it has started.
    client.sendNotification(EDITOR_DID_CHANGE, shown(changed)).catch(() => undefined);
  };
  return vscode.Disposable.from(
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) tell(vscode.languages.getDiagnostics().map(([uri]) => uri));
    }),
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
