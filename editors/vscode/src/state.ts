// What is open in the editor, told to the server whenever any of it has changed.
import * as vscode from "vscode";
import { type ActiveFile, EDITOR_DID_CHANGE, type EditorDidChangeParams, type OpenFile } from "./protocol.ts";

/** Changes that come together are told together, after so long. */
const DEBOUNCE_MS = 50;
/** The most bytes of a text that is not saved; a larger one is not told, and the server knows that it is not. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** Tells what is open. It is told only what has changed, and only while somebody listens. */
export class OpenState implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable;
  /** Documents whose problems have changed since they were told of. */
  readonly #diagnosed = new Set<string>();
  /** Documents that are told to be not saved, with the version whose text was told. */
  #texts = new Map<string, number>();
  readonly #tell;
  #timer: NodeJS.Timeout | undefined;
  #told = "";

  /** `tell` sends a notification, and fails while nobody listens. */
  constructor(tell: (method: string, params: EditorDidChangeParams) => Promise<void>) {
    this.#tell = tell;
    const now = (): void => void this.flush();
    const changed = (): void => { this.#timer ??= setTimeout(now, DEBOUNCE_MS); };
    this.#subscriptions = vscode.Disposable.from(
      ...[vscode.window.onDidChangeActiveTextEditor, vscode.window.onDidChangeTextEditorSelection].map((event) => event(changed)),
      ...[vscode.workspace.onDidOpenTextDocument, vscode.workspace.onDidCloseTextDocument].map((event) => event(changed)),
      // Where a text is to be read from is told at once.
      vscode.workspace.onDidSaveTextDocument(now),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        (isFile(document) && document.isDirty !== this.#texts.has(document.uri.toString()) ? now : changed)();
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        uris.forEach((uri) => this.#diagnosed.add(uri.toString()));
        changed();
      }),
    );
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [diagnosticsUris, documents] = [[...this.#diagnosed], vscode.workspace.textDocuments.filter(isFile)];
    const state = { active: active(), open: documents.map(file) };
    const told = JSON.stringify(state);
    if (told === this.#told && diagnosticsUris.length === 0) return;
    this.#diagnosed.clear();
    const before = this.#told === "" ? new Map<string, number>() : this.#texts;
    this.#told = told;
    this.#texts = new Map(documents.filter(({ isDirty }) => isDirty).map(({ uri, version }) => [uri.toString(), version]));
    const open = documents.map((document) => {
      const isKnown = !document.isDirty || before.get(document.uri.toString()) === document.version;
      const text = isKnown ? undefined : document.getText();
      return text !== undefined && Buffer.byteLength(text) <= MAX_TEXT_BYTES ? { ...file(document), text } : file(document);
    });
    // While nobody listens nothing is told. Who does later is told everything.
    await this.#tell(EDITOR_DID_CHANGE, { ...state, open, diagnosticsUris }).catch(() => { this.#told = ""; });
  }

  /** Somebody new listens and knows nothing. */
  restart(): Promise<void> {
    this.#told = "";
    return this.flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }
}

/** A file in the editor, loaded if not shown. */
const file = ({ uri, languageId, isDirty, lineCount, version }: vscode.TextDocument): OpenFile =>
  ({ uri: uri.toString(), languageId, isDirty, lineCount, version });

const isFile = ({ uri, isClosed }: vscode.TextDocument): boolean => uri.scheme === "file" && !isClosed;

function active(): ActiveFile | null {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isFile(editor.document)) return null;
  const { line, character } = editor.selection.active;
  return { ...file(editor.document), selection: { line: line + 1, column: character + 1 } };
}
