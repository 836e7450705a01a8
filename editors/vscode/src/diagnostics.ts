// The problems that the editor shows, and whether somebody has spoken about the present text of a document.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { DocumentReport } from "./protocol.ts";

/** How long somebody may take to say something about a document, from its opening or its last change. */
const PATIENCE_MS = 5000;

/** Several speak about one document, or one does in parts; this long after the last word of any of them they are done. */
const QUIET_MS = 250;

type Convert = Pick<LanguageClient, "code2ProtocolConverter">;

/** What is known of an open document: what came last, and whether it has had its time. */
interface Known {
  isCurrent: boolean;
  hasWaited: boolean;
}

/** Follows who speaks about which document. VS Code does not tell which version of a text its problems belong to. */
export class Problems implements vscode.Disposable {
  readonly #known = new Map<string, Known>();
  readonly #spoken = new vscode.EventEmitter<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    for (const { uri } of vscode.workspace.textDocuments) this.#changed(uri, vscode.languages.getDiagnostics(uri).length > 0);
    this.#subscriptions = vscode.Disposable.from(
      this.#spoken,
      vscode.workspace.onDidOpenTextDocument(({ uri }) => { this.#changed(uri); }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#known.delete(uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // Saving is a change without any.
        if (contentChanges.length > 0) this.#changed(document.uri);
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris.map(String)) {
          const known = this.#known.get(uri);
          if (known) known.isCurrent = true;
          this.#spoken.fire(uri);
        }
      }),
    );
  }

  /** What is shown in a document now. */
  of(client: Convert, uri: vscode.Uri): DocumentReport {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    const items = vscode.languages.getDiagnostics(uri).map((item) => client.code2ProtocolConverter.asDiagnostic(item));
    const isCurrent = document !== undefined && this.#known.get(uri.toString())?.isCurrent === true;
    return { kind: "full", items, isOpen: document !== undefined, isCurrent, ...(document && { languageId: document.languageId }) };
  }

  /** What is shown anywhere. */
  all(client: Convert): { items: { uri: string; kind: "full"; items: Diagnostic[] }[] } {
    const shown = vscode.languages.getDiagnostics().filter(([uri, items]) => uri.scheme === "file" && items.length > 0);
    const items = shown.map(([uri, items]) => ({
      uri: uri.toString(),
      kind: "full" as const,
      items: items.map((item) => client.code2ProtocolConverter.asDiagnostic(item)),
    }));
    return { items };
  }

  /** Opens a document, without showing it, and waits until somebody has spoken about its present text. */
  async validate(client: Convert, uri: vscode.Uri, token: vscode.CancellationToken): Promise<DocumentReport> {
    await vscode.workspace.openTextDocument(uri);
    const known = this.#known.get(uri.toString());
    if (known?.isCurrent === false && !known.hasWaited) {
      await this.#wait(uri.toString(), token);
      // One text has its time once.
      known.hasWaited = !token.isCancellationRequested;
    }
    return this.of(client, uri);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #changed(uri: vscode.Uri, isCurrent = false): void {
    this.#known.set(uri.toString(), { isCurrent, hasWaited: false });
  }

  /** Until somebody has spoken and everybody is quiet, nobody wants to know any more, or patience ends. */
  async #wait(uri: string, token: vscode.CancellationToken): Promise<void> {
    const listeners: vscode.Disposable[] = [];
    const timers: { quiet?: NodeJS.Timeout; end?: NodeJS.Timeout } = {};
    await new Promise<void>((resolve) => {
      timers.end = setTimeout(resolve, PATIENCE_MS);
      listeners.push(
        token.onCancellationRequested(() => { resolve(); }),
        this.#spoken.event((spoken) => {
          if (spoken !== uri) return;
          clearTimeout(timers.quiet);
          timers.quiet = setTimeout(resolve, QUIET_MS);
        }),
      );
      if (token.isCancellationRequested) resolve();
    });
    clearTimeout(timers.quiet);
    clearTimeout(timers.end);
    for (const listener of listeners) listener.dispose();
  }
}
