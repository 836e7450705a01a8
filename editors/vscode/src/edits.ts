// Edits that the server makes through the editor, and what its extensions change along with them.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { LSPErrorCodes, RenameFile, ResponseError } from "vscode-languageserver-protocol";
import { message } from "./failure.ts";
import { EDITOR_APPLY, type EditorApplyParams, type EditorApplyResult } from "./protocol.ts";
import type { OpenState } from "./state.ts";

/** Extensions that follow a move tell nobody when they are done: so many rounds of so long without a change mean they are. */
const QUIET_ROUNDS = 3;
const ROUND_MS = 100;
/** How long they are waited for. */
const PATIENCE_MS = 15_000;

/** A document as it was before an edit. */
interface Before {
  readonly document: vscode.TextDocument;
  readonly text: string;
  /** Whether the user would see that it is not saved. */
  readonly isShown: boolean;
  readonly isDirty: boolean;
}

/** Answers `EDITOR_APPLY` of a client, one edit at a time. */
export class Edits implements vscode.Disposable {
  readonly #client: LanguageClient;
  readonly #state: OpenState;
  readonly #answer: vscode.Disposable;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: LanguageClient, state: OpenState) {
    this.#client = client;
    this.#state = state;
    this.#answer = client.onRequest(EDITOR_APPLY, (params: EditorApplyParams, token: vscode.CancellationToken) => {
      const mine = this.#last.then(() => this.#apply(params, token));
      this.#last = mine.catch(() => undefined);
      return mine;
    });
  }

  dispose(): void {
    this.#answer.dispose();
  }

  /** An edit that has begun is made to its end: who asks for it is told the truth, also if he has given up. */
  async #apply(params: EditorApplyParams, token: vscode.CancellationToken): Promise<EditorApplyResult> {
    if (token.isCancellationRequested) return { applied: false, failureReason: "it was cancelled before it began", changed: [] };
    const held: [key: string, before: unknown][] = [];
    const left: string[] = [];
    let result: EditorApplyResult;
    try {
      for (const { key, value } of params.settings) held.unshift([key, await hold(key, value)]);
      result = await this.#make(params);
    } finally {
      for (const [key, before] of held) await hold(key, before).catch(() => left.push(key));
      // So that the server knows what is open now when it hears the answer.
      await this.#state.flush();
    }
    return { ...result, left };
  }

  async #make({ edit, texts, save, isFollowed }: EditorApplyParams): Promise<EditorApplyResult> {
    const uriOf = (uri: string): string => this.#client.protocol2CodeConverter.asUri(uri).toString();
    const workspaceEdit = await this.#client.protocol2CodeConverter.asWorkspaceEdit(edit);
    const moves = (edit.documentChanges ?? []).filter(RenameFile.is).map((move) => [uriOf(move.oldUri), uriOf(move.newUri)] as const);
    for (const [uri, hash] of Object.entries(texts)) {
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uriOf(uri));
      if (open !== undefined && hashOf(open) !== hash) throw new ResponseError(LSPErrorCodes.ContentModified, uri);
    }
    const seen = new Map<string, Before>();
    const shown = new Set(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => uriIn(input)));
    const see = (document: vscode.TextDocument): void => {
      const uri = document.uri.toString();
      const isShown = shown.has(uri);
      // One that has moved is the same as before.
      const before = seen.get(uri) ?? seen.get(moved(uri, moves, 1, 0)) ?? { text: document.getText(), isShown, isDirty: document.isDirty };
      if (document.uri.scheme === "file") seen.set(uri, { ...before, document });
    };
    vscode.workspace.textDocuments.forEach(see);
    let hasChanged = false;
    const recorder = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument(see),
      vscode.workspace.onDidChangeTextDocument(() => { hasChanged = true; }),
    );
    try {
      const applied = await vscode.workspace.applyEdit(workspaceEdit);
      const target = moves.at(-1)?.[1];
      if (applied && isFollowed && target !== undefined) {
        await followed(vscode.Uri.parse(target), () => { const had = hasChanged; hasChanged = false; return had; });
      }
      // Under their old names documents are closed, with the text that they had.
      const changed = [...seen].filter(([uri, { document, text }]) => moved(uri, moves, 0, 1) === uri && document.getText() !== text);
      const failures: string[] = [];
      for (const [, { document, isShown, isDirty }] of changed) {
        const isWanted = save === "all" || (!isDirty && (save === "clean" || !isShown));
        if (!document.isDirty || !(isWanted || (await isOnDisk(document)))) continue;
        await Promise.resolve(document.save()).catch((error: unknown) => failures.push(message(error)));
      }
      return {
        applied,
        ...(!applied && { failureReason: "VS Code did not apply it" }),
        changed: changed.map(([uri, { document, text }]) => (
          { uri, before: text, after: document.getText(), isSaved: !document.isDirty }
        )),
      };
    } finally {
      recorder.dispose();
    }
  }
}

/** Where what is or was below one end of the moves is at the other end. */
function moved(uri: string, moves: readonly (readonly [string, string])[], from: 0 | 1, to: 0 | 1): string {
  const move = moves.find((move) => uri === move[from] || uri.startsWith(`${move[from]}/`));
  return move === undefined ? uri : move[to] + uri.slice(move[from].length);
}

/** Gives a setting another value; answers the one before. Extensions may read it without naming a folder, so it is the workspace's. */
async function hold(key: string, value: unknown): Promise<unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const before = configuration.inspect(key)?.workspaceValue;
  await configuration.update(key, value, vscode.ConfigurationTarget.Workspace);
  return before;
}

/** Waits until whoever follows a move has done so. A language's server answers in order, so it is asked something in between. */
async function followed(target: vscode.Uri, hasChanged: () => boolean): Promise<void> {
  const inside = vscode.workspace.findFiles(new vscode.RelativePattern(target, "**/*.{ts,tsx,js,jsx}"), undefined, 1);
  // What is no folder has nothing inside.
  const [file = target] = await Promise.resolve(inside).catch(() => []);
  const end = performance.now() + PATIENCE_MS;
  // It stays open, so that asking about it does not open it again and again. What is no text is asked nothing.
  await Promise.resolve(vscode.workspace.openTextDocument(file)).catch(() => undefined);
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    const asked = vscode.commands.executeCommand("vscode.executeTypeDefinitionProvider", file, new vscode.Position(0, 0));
    await Promise.resolve(asked).catch(() => undefined);
    quiet = hasChanged() ? 0 : quiet + 1;
  }
}

/** The document that a tab shows. */
function uriIn(input: unknown): string | undefined {
  const { uri, modified } = (input ?? {}) as { uri?: vscode.Uri; modified?: vscode.Uri };
  return (uri ?? modified)?.toString();
}

/** Whether saving a document would change nothing. */
async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(document.uri)).catch(() => undefined);
  return bytes !== undefined && new TextDecoder().decode(bytes) === document.getText();
}

/** Of a text without its carriage returns: a document has each line end in one way, whatever its file has. */
function hashOf(document: vscode.TextDocument): string {
  return createHash("sha256").update(document.getText().replaceAll("\r", "")).digest("hex");
}
