// The diagnostics of the editor, and whether a provider has checked the present text of a document.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { DocumentReport } from "./protocol.ts";

/** The time for a provider to check a document, from its opening or its last change. */
const PATIENCE_MS = 5000;
/** Several providers report about one document, or one reports in parts; this long after the last report they count as done. */
const QUIET_MS = 250;
/** The maximum number of files with diagnostics, and of diagnostics per file. */
const [MAX_FILES, MAX_ITEMS] = [2000, 1000];

type Convert = Pick<LanguageClient, "code2ProtocolConverter">;

/** Tracks which provider has checked which document. VS Code does not say to which version of a text its diagnostics belong. */
export class Problems implements vscode.Disposable {
  /** State of open documents: whether a provider has checked the present text, and whether its time is up. */
  readonly #known = new Map<string, { isCurrent: boolean; hasWaited: boolean }>();
  readonly #spoken = new vscode.EventEmitter<string>();
  readonly dispose: () => void;

  constructor() {
    const changed = (uri: vscode.Uri, isCurrent = false): unknown =>
      this.#known.set(uri.toString(), { isCurrent, hasWaited: false });
    for (const { uri } of vscode.workspace.textDocuments) changed(uri, vscode.languages.getDiagnostics(uri).length > 0);
    const subscriptions = vscode.Disposable.from(
      this.#spoken,
      vscode.workspace.onDidOpenTextDocument(({ uri }) => changed(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#known.delete(uri.toString())),
      // Saving is a change event without changes.
      vscode.workspace.onDidChangeTextDocument(
        ({ document, contentChanges }) => contentChanges.length > 0 && changed(document.uri),
      ),
      // Some providers check only visible documents.
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const {
          document: { uri },
        } of editors)
          changed(uri, this.#known.get(uri.toString())?.isCurrent);
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris.map(String)) {
          Object.assign(this.#known.get(uri) ?? {}, { isCurrent: true });
          this.#spoken.fire(uri);
        }
      }),
    );
    this.dispose = () => {
      subscriptions.dispose();
    };
  }

  of(client: Convert, uri: vscode.Uri): DocumentReport {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    const isCurrent = document !== undefined && this.#known.get(uri.toString())?.isCurrent === true;
    const items = shown(client, vscode.languages.getDiagnostics(uri));
    return {
      kind: "full",
      items,
      isOpen: document !== undefined,
      isCurrent,
      ...(document && { languageId: document.languageId }),
    };
  }

  all(client: Convert): { items: { uri: string; kind: "full"; items: Diagnostic[] }[] } {
    const files = vscode.languages.getDiagnostics().filter(([uri, items]) => uri.scheme === "file" && items.length > 0);
    return {
      items: files
        .slice(0, MAX_FILES)
        .map(([uri, items]) => ({ uri: uri.toString(), kind: "full", items: shown(client, items) })),
    };
  }

  /** Opens a document without showing it, and waits until a provider has checked its present text. A document gets the time once. */
  async validate(client: Convert, uri: vscode.Uri, token: vscode.CancellationToken): Promise<DocumentReport> {
    await vscode.workspace.openTextDocument(uri);
    const known = this.#known.get(uri.toString());
    if (known?.isCurrent === false && !known.hasWaited) {
      await this.#wait(uri.toString(), token);
      known.hasWaited = !token.isCancellationRequested;
    }
    return this.of(client, uri);
  }

  /** Waits until a provider has answered and all have finished, the request is cancelled, or the time-out expires. */
  async #wait(uri: string, token: vscode.CancellationToken): Promise<void> {
    const listening: vscode.Disposable[] = [];
    await new Promise<void>((resolve) => {
      setTimeout(resolve, PATIENCE_MS);
      let quiet: NodeJS.Timeout | undefined;
      listening.push(
        token.onCancellationRequested(() => {
          resolve();
        }),
        this.#spoken.event((spoken) => {
          if (spoken === uri) (quiet ??= setTimeout(resolve, QUIET_MS)).refresh();
        }),
      );
    });
    vscode.Disposable.from(...listening).dispose();
  }
}

const shown = (client: Convert, items: readonly vscode.Diagnostic[]): Diagnostic[] =>
  items.slice(0, MAX_ITEMS).map((item) => client.code2ProtocolConverter.asDiagnostic(item));
