// The editor's diagnostics, and whether a provider has checked the current text of a document.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { DocumentReport } from "./protocol.ts";

/** The time-out for a provider to check a document, if no document of that language has been checked yet, in milliseconds. */
const TIMEOUT_MS = 5000;
/**
 * The time-out for a language is this many times the longest of its last checks, between the two bounds. VS Code sends no
 * event for a document whose diagnostics stay the same, so only time ends the wait for them.
 */
const TIMEOUT_CHECKS = 4;
const MIN_TIMEOUT_MS = 1000;
/** The number of checks that are stored per language. */
const STORED_CHECKS = 8;
/** The milliseconds without a report after which all providers count as done; several may report, also in parts. */
const QUIET_MS = 250;
/** The maximum number of files with diagnostics. */
const MAX_FILES = 2000;
/** The maximum number of diagnostics per file. */
const MAX_ITEMS = 1000;

type Converter = Pick<LanguageClient, "code2ProtocolConverter">;

interface DocumentState {
  readonly languageId: string;
  /** When the document was opened, changed or shown, in milliseconds of `performance.now`. */
  readonly since: number;
  /** Whether a provider has checked the current text. */
  isCurrent: boolean;
  hasTimedOut: boolean;
}

/** Tracks which documents have been checked, because VS Code's diagnostics name no version of the text. */
export class DiagnosticsTracker implements vscode.Disposable {
  readonly #documents = new Map<string, DocumentState>();
  /** The milliseconds of the last checks per language. */
  readonly #checks = new Map<string, number[]>();
  readonly #reported = new vscode.EventEmitter<string>();
  readonly dispose: () => void;

  constructor() {
    const reset = ({ uri, languageId }: vscode.TextDocument, isCurrent = false): unknown =>
      this.#documents.set(uri.toString(), { languageId, since: performance.now(), isCurrent, hasTimedOut: false });
    for (const open of vscode.workspace.textDocuments) {
      reset(open, vscode.languages.getDiagnostics(open.uri).length > 0);
    }
    const subscriptions = vscode.Disposable.from(
      this.#reported,
      vscode.workspace.onDidOpenTextDocument((document) => reset(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#documents.delete(uri.toString())),
      // Saving is a change event without changes.
      vscode.workspace.onDidChangeTextDocument(
        ({ document, contentChanges }) => contentChanges.length > 0 && reset(document),
      ),
      // Some providers check only visible documents.
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const { document } of editors) {
          reset(document, this.#documents.get(document.uri.toString())?.isCurrent);
        }
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris.map(String)) {
          this.#setCurrent(uri);
          this.#reported.fire(uri);
        }
      }),
    );
    this.dispose = () => {
      subscriptions.dispose();
    };
  }

  forDocument(client: Converter, uri: vscode.Uri): DocumentReport {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    const isCurrent = document !== undefined && this.#documents.get(uri.toString())?.isCurrent === true;
    const items = toLsp(client, vscode.languages.getDiagnostics(uri));
    return {
      kind: "full",
      items,
      isOpen: document !== undefined,
      isCurrent,
      ...(document && { languageId: document.languageId }),
    };
  }

  forWorkspace(client: Converter): { items: { uri: string; kind: "full"; items: Diagnostic[] }[] } {
    const files = vscode.languages.getDiagnostics().filter(([uri, items]) => uri.scheme === "file" && items.length > 0);
    return {
      items: files
        .slice(0, MAX_FILES)
        .map(([uri, items]) => ({ uri: uri.toString(), kind: "full", items: toLsp(client, items) })),
    };
  }

  /** Opens a document without showing it, and waits, once per text, until a provider has checked it. */
  async validate(client: Converter, uri: vscode.Uri, token: vscode.CancellationToken): Promise<DocumentReport> {
    await vscode.workspace.openTextDocument(uri);
    const state = this.#documents.get(uri.toString());
    if (state?.isCurrent === false && !state.hasTimedOut) {
      await this.#wait(uri.toString(), this.#timeout(state.languageId), token);
      state.hasTimedOut = !token.isCancellationRequested;
    }
    return this.forDocument(client, uri);
  }

  #setCurrent(uri: string): void {
    const state = this.#documents.get(uri);
    if (state === undefined || state.isCurrent) return;
    state.isCurrent = true;
    const checks = this.#checks.get(state.languageId) ?? [];
    this.#checks.set(state.languageId, [...checks, performance.now() - state.since].slice(-STORED_CHECKS));
  }

  #timeout(languageId: string): number {
    const checks = this.#checks.get(languageId);
    return checks ? Math.min(TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, TIMEOUT_CHECKS * Math.max(...checks))) : TIMEOUT_MS;
  }

  /** Waits until a provider has reported and all are done, the request is cancelled, or the time-out expires. */
  async #wait(uri: string, timeoutMs: number, token: vscode.CancellationToken): Promise<void> {
    const subscriptions: vscode.Disposable[] = [];
    await new Promise<void>((resolve) => {
      setTimeout(resolve, timeoutMs);
      let quietTimer: NodeJS.Timeout | undefined;
      subscriptions.push(
        token.onCancellationRequested(() => {
          resolve();
        }),
        this.#reported.event((reportedUri) => {
          if (reportedUri === uri) (quietTimer ??= setTimeout(resolve, QUIET_MS)).refresh();
        }),
      );
    });
    vscode.Disposable.from(...subscriptions).dispose();
  }
}

const toLsp = (client: Converter, items: readonly vscode.Diagnostic[]): Diagnostic[] =>
  items.slice(0, MAX_ITEMS).map((item) => client.code2ProtocolConverter.asDiagnostic(item));
