// What is open in the editor, told to the server whenever any of it has changed.
import * as vscode from "vscode";
import { EDITOR_DID_CHANGE, type EditorDidChangeParams, type OpenFile } from "./protocol.ts";

/** Changes that come together are told together, after so long. */
const DEBOUNCE_MS = 50;

/** The most bytes of a text that is not saved; a larger one is not told, and the server knows that it is not. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** Tells what is open. It is told only what has changed, and only while somebody listens. */
export class OpenState implements vscode.Disposable {
  readonly #tell: (method: string, params: EditorDidChangeParams) => Promise<void>;
  readonly #subscriptions: vscode.Disposable;
  /** Documents whose problems have changed since they were told of. */
  readonly #diagnosed = new Set<string>();
  /** Documents that are told to be not saved, with the version whose text was told. */
  #texts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #told = "";

  /** `tell` sends a notification; it fails while nobody listens. */
  constructor(tell: (method: string, params: EditorDidChangeParams) => Promise<void>) {
    this.#tell = tell;
    const changed = (): void => { this.#schedule(); };
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(changed),
      vscode.window.onDidChangeTextEditorSelection(changed),
      vscode.workspace.onDidOpenTextDocument(changed),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // Where a text is read from is not to be known too late.
        if (isFile(document) && document.isDirty !== this.#texts.has(document.uri.toString())) void this.flush();
        else changed();
      }),
      vscode.workspace.onDidSaveTextDocument(() => void this.flush()),
      vscode.workspace.onDidCloseTextDocument(changed),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) this.#diagnosed.add(uri.toString());
        changed();
      }),
    );
  }

  /** Tells now what has not been told yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const diagnosticsUris = [...this.#diagnosed];
    const state = { active: active(), open: open() };
    const told = JSON.stringify(state);
    if (told === this.#told && diagnosticsUris.length === 0) return;
    this.#told = told;
    this.#diagnosed.clear();
    try {
      await this.#tell(EDITOR_DID_CHANGE, { active: state.active, open: this.#withTexts(), diagnosticsUris });
    } catch {
      // Nobody listens now. Who does later is told everything.
      this.#forget();
    }
  }

  /** Somebody new listens and knows nothing. */
  async restart(): Promise<void> {
    this.#forget();
    await this.flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** What is open, with the unsaved texts that have not been told. */
  #withTexts(): OpenFile[] {
    const before = this.#texts;
    this.#texts = new Map();
    return vscode.workspace.textDocuments.filter(isFile).map((document) => {
      const uri = document.uri.toString();
      if (!document.isDirty) return file(document);
      this.#texts.set(uri, document.version);
      const text = before.get(uri) === document.version ? undefined : document.getText();
      return text !== undefined && Buffer.byteLength(text) <= MAX_TEXT_BYTES ? { ...file(document), text } : file(document);
    });
  }

  #forget(): void {
    this.#told = "";
    this.#texts.clear();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.flush(), DEBOUNCE_MS);
  }
}

/** A file in the editor, loaded if not shown. */
function file(document: vscode.TextDocument): OpenFile {
  return {
    uri: document.uri.toString(),
    languageId: document.languageId,
    isDirty: document.isDirty,
    lineCount: document.lineCount,
    version: document.version,
  };
}

function isFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && !document.isClosed;
}

function open(): OpenFile[] {
  return vscode.workspace.textDocuments.filter(isFile).map(file);
}

function active(): EditorDidChangeParams["active"] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isFile(editor.document)) return null;
  const { line, character } = editor.selection.active;
  return { ...file(editor.document), selection: { line: line + 1, column: character + 1 } };
}
