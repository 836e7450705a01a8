// Edits that the server makes through the editor, and the changes that extensions make along with them.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { LSPErrorCodes, RenameFile, ResponseError } from "vscode-languageserver-protocol";
import { EDITOR_APPLY, type EditorApplyParams, type EditorApplyResult, type EditorConfigParams } from "./protocol.ts";
import { pause } from "./readiness.ts";
import { answerConfig } from "./settings.ts";
import type { OpenState } from "./state.ts";

/** Extensions that follow a move do not report their end: this number of rounds without a change counts as one, or this time. */
const [QUIET_ROUNDS, ROUND_MS, PATIENCE_MS] = [3, 100, 15_000];

/** A document as it was before an edit, and whether the user would see that it is not saved. */
interface Before {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly isShown: boolean;
  readonly isDirty: boolean;
}

/** Handles `EDITOR_APPLY`, one edit at a time. An edit that has begun is completed even if the request is cancelled, and its response says so. */
export function answerEdits(client: LanguageClient, state: OpenState): vscode.Disposable {
  let last: Promise<unknown> = Promise.resolve();
  return client.onRequest(EDITOR_APPLY, (params: EditorApplyParams, token: vscode.CancellationToken) => {
    const mine = last.then(() => apply(client, state, params, token));
    last = mine.catch(() => undefined);
    return mine;
  });
}

async function apply(
  client: LanguageClient,
  state: OpenState,
  params: EditorApplyParams,
  token: vscode.CancellationToken,
): Promise<EditorApplyResult> {
  if (token.isCancellationRequested)
    return { applied: false, failureReason: "it was cancelled before it began", changed: [] };
  const [before, left]: [EditorConfigParams[], string[]] = [[], []];
  try {
    // Extensions may read the settings without naming a folder, so they are set for the workspace.
    for (const { key, value } of params.settings) {
      before.unshift({ key, value: (await answerConfig({ key })).workspace });
      await answerConfig({ key, value });
    }
    return { ...(await make(client, params)), left };
  } finally {
    for (const setting of before) await answerConfig(setting).catch(() => left.push(setting.key));
    // The server must know the open files when it receives the response.
    await state.flush();
  }
}

async function make(
  client: LanguageClient,
  { edit, texts, save, isFollowed }: EditorApplyParams,
): Promise<EditorApplyResult> {
  const uriOf = (uri: string): string => client.protocol2CodeConverter.asUri(uri).toString();
  const workspaceEdit = await client.protocol2CodeConverter.asWorkspaceEdit(edit);
  const moves = (edit.documentChanges ?? [])
    .filter(RenameFile.is)
    .map((move) => [uriOf(move.oldUri), uriOf(move.newUri)] as const);
  for (const [uri, hash] of Object.entries(texts)) {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uriOf(uri));
    if (open !== undefined && hashOf(open) !== hash) throw new ResponseError(LSPErrorCodes.ContentModified, uri);
  }
  const seen = new Map<string, Before>();
  const shown = new Set(
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .map(({ input }) => (input as { uri?: vscode.Uri } | undefined)?.uri?.toString()),
  );
  const see = (document: vscode.TextDocument): void => {
    if (document.uri.scheme !== "file") return;
    const uri = document.uri.toString();
    // A moved document is the same as before.
    const before = seen.get(uri) ??
      seen.get(moved(uri, moves, 1, 0)) ?? {
        text: document.getText(),
        isShown: shown.has(uri),
        isDirty: document.isDirty,
      };
    seen.set(uri, { ...before, document });
  };
  vscode.workspace.textDocuments.forEach(see);
  let changes = 0;
  // A log that is shown is a document that changes all the time.
  const count = ({ document, reason }: vscode.TextDocumentChangeEvent): void => {
    if (document.uri.scheme === "file") changes++;
    if (reason !== undefined) type(document);
  };
  // Keyboard input moves the cursor, and undo has a reason: edits and extensions cause neither.
  const typed = new Set<string>();
  const type = ({ uri }: vscode.TextDocument): unknown => typed.add(moved(uri.toString(), moves, 0, 1));
  const recorder = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(see),
    vscode.workspace.onDidChangeTextDocument(count),
    vscode.window.onDidChangeTextEditorSelection(
      ({ kind, textEditor }) => kind === vscode.TextEditorSelectionChangeKind.Keyboard && type(textEditor.document),
    ),
  );
  const target = moves.at(-1)?.[1];
  try {
    const applied = await vscode.workspace.applyEdit(workspaceEdit);
    if (applied && isFollowed && target !== undefined) await followed(vscode.Uri.parse(target), () => changes);
    // Documents are closed under their old names, with the text that they had.
    const changed = [...seen].filter(
      ([uri, { document, text }]) => moved(uri, moves, 0, 1) === uri && document.getText() !== text,
    );
    for (const [uri, { document, isShown, isDirty }] of changed) {
      const isWanted = save === "all" || (!isDirty && (save === "clean" || !isShown));
      // A file that could not be saved is reported as such.
      if (document.isDirty && (isWanted || (await isOnDisk(document))) && !typed.has(uri))
        await settled(document.save());
    }
    return {
      applied,
      ...(!applied && { failureReason: "VS Code did not apply it" }),
      changed: changed.map(([uri, { document, text }]) => ({
        uri,
        before: text,
        after: document.getText(),
        isSaved: !document.isDirty,
        isTyped: typed.has(uri),
      })),
    };
  } finally {
    recorder.dispose();
  }
}

/** Maps a path at or below one end of the moves to the other end. */
function moved(uri: string, moves: readonly (readonly [string, string])[], from: 0 | 1, to: 0 | 1): string {
  const move = moves.find((move) => uri === move[from] || uri.startsWith(`${move[from]}/`));
  return move === undefined ? uri : move[to] + uri.slice(move[from].length);
}

/** Waits until extensions have followed a move. A language's server answers in order, so a request in between shows when it is done. */
async function followed(target: vscode.Uri, changes: () => number): Promise<void> {
  const inside = await settled(
    vscode.workspace.findFiles(new vscode.RelativePattern(target, "**/*.{ts,tsx,js,jsx}"), undefined, 1),
  );
  const file = inside?.[0] ?? target;
  const end = performance.now() + PATIENCE_MS;
  // The document stays open, so that further requests do not open it again.
  await settled(vscode.workspace.openTextDocument(file));
  for (let quiet = 0, before = changes(); quiet < QUIET_ROUNDS && performance.now() < end; before = changes()) {
    await pause(ROUND_MS);
    await settled(
      vscode.commands.executeCommand("vscode.executeTypeDefinitionProvider", file, new vscode.Position(0, 0)),
    );
    quiet = changes() === before ? quiet + 1 : 0;
  }
}

/** The outcome of work after an edit: a failure or hang changes nothing about the edit, nor about others. */
const settled = <Value>(value: Thenable<Value>): Promise<Value | undefined> =>
  Promise.race([value, pause(PATIENCE_MS)]).then(
    (done) => done ?? undefined,
    () => undefined,
  );

/** Whether saving a document would change nothing. */
async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const bytes = await settled(vscode.workspace.fs.readFile(document.uri));
  return bytes !== undefined && new TextDecoder().decode(bytes) === document.getText();
}

/** A text without its carriage returns: a document has one kind of line end, whatever its file has. */
const hashOf = (document: vscode.TextDocument): string =>
  createHash("sha256").update(document.getText().replaceAll("\r", "")).digest("hex");
