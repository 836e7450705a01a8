// The open files of the editor, sent to the server whenever one of them changes.
import * as vscode from "vscode";
import { type ActiveFile, EDITOR_DID_CHANGE, type EditorDidChangeParams, type OpenFile } from "./protocol.ts";

/** The time within which changes become one notification, in milliseconds. */
const DEBOUNCE_MS = 50;
/** The maximum size of an unsaved text in bytes; the server learns that a larger one was not sent. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** Sends changes of the open files, while there is a listener. */
export class OpenState implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable;
  /** Documents whose diagnostics have changed since the last notification. */
  readonly #diagnosedUris = new Set<string>();
  /** Documents reported as unsaved, with the version of the sent text. */
  #sentTexts = new Map<string, number>();
  readonly #send;
  #timer: NodeJS.Timeout | undefined;
  #lastSent = "";

  /** `send` sends a notification, and fails while there is no listener. */
  constructor(send: (method: string, params: EditorDidChangeParams) => Promise<void>) {
    this.#send = send;
    const flushNow = (): void => void this.flush();
    const schedule = (): void => {
      this.#timer ??= setTimeout(flushNow, DEBOUNCE_MS);
    };
    this.#subscriptions = vscode.Disposable.from(
      ...[vscode.window.onDidChangeActiveTextEditor, vscode.window.onDidChangeTextEditorSelection].map((event) =>
        event(schedule),
      ),
      ...[vscode.workspace.onDidOpenTextDocument, vscode.workspace.onDidCloseTextDocument].map((event) =>
        event(schedule),
      ),
      // Changes of a text's source are sent at once.
      vscode.workspace.onDidSaveTextDocument(flushNow),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        (isFile(document) && document.isDirty !== this.#sentTexts.has(document.uri.toString()) ? flushNow : schedule)();
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        uris.forEach((uri) => this.#diagnosedUris.add(uri.toString()));
        schedule();
      }),
    );
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const diagnosticsUris = [...this.#diagnosedUris];
    const documents = vscode.workspace.textDocuments.filter(isFile);
    const state = { active: active(), open: documents.map(file) };
    const serialized = JSON.stringify(state);
    if (serialized === this.#lastSent && diagnosticsUris.length === 0) return;
    this.#diagnosedUris.clear();
    const textsBefore = this.#lastSent === "" ? new Map<string, number>() : this.#sentTexts;
    this.#lastSent = serialized;
    this.#sentTexts = new Map(
      documents.filter(({ isDirty }) => isDirty).map(({ uri, version }) => [uri.toString(), version]),
    );
    const open = documents.map((document) => {
      const isSent = !document.isDirty || textsBefore.get(document.uri.toString()) === document.version;
      const text = isSent ? undefined : document.getText();
      return text !== undefined && Buffer.byteLength(text) <= MAX_TEXT_BYTES
        ? { ...file(document), text }
        : file(document);
    });
    // Without a listener nothing is sent; a later listener receives everything.
    await this.#send(EDITOR_DID_CHANGE, { ...state, open, diagnosticsUris }).catch(() => {
      this.#lastSent = "";
    });
  }

  /** Sends everything to a new listener. */
  restart(): Promise<void> {
    this.#lastSent = "";
    return this.flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }
}

/** A file in the editor; one that is not shown may be loaded. */
const file = ({ uri, languageId, isDirty, lineCount, version }: vscode.TextDocument): OpenFile => ({
  uri: uri.toString(),
  languageId,
  isDirty,
  lineCount,
  version,
});

const isFile = ({ uri, isClosed }: vscode.TextDocument): boolean => uri.scheme === "file" && !isClosed;

function active(): ActiveFile | null {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isFile(editor.document)) return null;
  const { line, character } = editor.selection.active;
  return { ...file(editor.document), selection: { line: line + 1, column: character + 1 } };
}
