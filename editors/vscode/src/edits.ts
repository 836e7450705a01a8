// Edits that the server makes through the editor, and the edits that extensions add to them.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { LSPErrorCodes, RenameFile, ResponseError } from "vscode-languageserver-protocol";
import { EDITOR_APPLY, type EditorApplyParams, type EditorApplyResult, type EditorConfigParams } from "./protocol.ts";
import { pause } from "./readiness.ts";
import { handleConfig } from "./settings.ts";
import type { OpenState } from "./state.ts";

/** The rounds without a change after which extensions count as done with a move; they do not report their end. */
const QUIET_ROUNDS = 3;
const ROUND_MS = 100;
/** The time-out for these extensions, and for every other step after an edit, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** A document before an edit, and whether the user would see that it is not saved. */
interface Snapshot {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly isShown: boolean;
  readonly isDirty: boolean;
}

/** Handles `EDITOR_APPLY`, one edit at a time. An edit that has begun is completed even after a cancellation. */
export function handleEdits(client: LanguageClient, state: OpenState): vscode.Disposable {
  let previous: Promise<unknown> = Promise.resolve();
  return client.onRequest(EDITOR_APPLY, (params: EditorApplyParams, token: vscode.CancellationToken) => {
    const result = previous.then(() => apply(client, state, params, token));
    previous = result.catch(() => undefined);
    return result;
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
  const settingsBefore: EditorConfigParams[] = [];
  const notRestored: string[] = [];
  try {
    // Extensions may read the settings without naming a folder, so the workspace gets them.
    for (const { key, value } of params.settings) {
      settingsBefore.unshift({ key, value: (await handleConfig({ key })).workspace });
      await handleConfig({ key, value });
    }
    return { ...(await applyEdit(client, params)), left: notRestored };
  } finally {
    for (const setting of settingsBefore) await handleConfig(setting).catch(() => notRestored.push(setting.key));
    // The server must know the open files before it receives the response.
    await state.flush();
  }
}

async function applyEdit(
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
  const snapshots = new Map<string, Snapshot>();
  const shownUris = new Set(
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .map(({ input }) => (input as { uri?: vscode.Uri } | undefined)?.uri?.toString()),
  );
  const capture = (document: vscode.TextDocument): void => {
    if (document.uri.scheme !== "file") return;
    const uri = document.uri.toString();
    // A moved document is still the same document.
    const snapshot = snapshots.get(uri) ?? snapshots.get(mapPath(uri, moves, 1, 0));
    const { isDirty } = document;
    const current = { text: document.getText(), isShown: shownUris.has(uri), isDirty };
    snapshots.set(uri, { ...(snapshot ?? current), document });
  };
  vscode.workspace.textDocuments.forEach(capture);
  let changes = 0;
  // Only files count: a visible log is a document that changes all the time.
  const recordChange = ({ document, reason }: vscode.TextDocumentChangeEvent): void => {
    if (document.uri.scheme === "file") changes++;
    if (reason !== undefined) recordTyping(document);
  };
  // Keyboard input moves the cursor, and undo has a reason; edits and extensions cause neither.
  const typedUris = new Set<string>();
  const recordTyping = ({ uri }: vscode.TextDocument): unknown => typedUris.add(mapPath(uri.toString(), moves, 0, 1));
  const recorder = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(capture),
    vscode.workspace.onDidChangeTextDocument(recordChange),
    vscode.window.onDidChangeTextEditorSelection(
      ({ kind, textEditor }) =>
        kind === vscode.TextEditorSelectionChangeKind.Keyboard && recordTyping(textEditor.document),
    ),
  );
  const target = moves.at(-1)?.[1];
  try {
    const applied = await vscode.workspace.applyEdit(workspaceEdit);
    if (applied && isFollowed && target !== undefined) await waitForExtensions(vscode.Uri.parse(target), () => changes);
    // A move closes documents under their old names, with their old text.
    const changed = [...snapshots].filter(
      ([uri, { document, text }]) => mapPath(uri, moves, 0, 1) === uri && document.getText() !== text,
    );
    for (const [uri, { document, isShown, isDirty }] of changed) {
      const shouldSave = save === "all" || (!isDirty && (save === "clean" || !isShown));
      // The result reports a file that could not be saved.
      if (document.isDirty && (shouldSave || (await isOnDisk(document))) && !typedUris.has(uri))
        await withTimeout(document.save());
    }
    return {
      applied,
      ...(!applied && { failureReason: "VS Code did not apply it" }),
      changed: changed.map(([uri, { document, text }]) => ({
        uri,
        before: text,
        after: document.getText(),
        isSaved: !document.isDirty,
        isTyped: typedUris.has(uri),
      })),
    };
  } finally {
    recorder.dispose();
  }
}

/** Maps a path at or below one end of the moves to the other end. */
function mapPath(uri: string, moves: readonly (readonly [string, string])[], from: 0 | 1, to: 0 | 1): string {
  const move = moves.find((move) => uri === move[from] || uri.startsWith(`${move[from]}/`));
  return move === undefined ? uri : move[to] + uri.slice(move[from].length);
}

/** Waits until extensions have followed a move. A server answers in order, so its response shows that it is done. */
async function waitForExtensions(target: vscode.Uri, changes: () => number): Promise<void> {
  const sources = await withTimeout(
    vscode.workspace.findFiles(new vscode.RelativePattern(target, "**/*.{ts,tsx,js,jsx}"), undefined, 1),
  );
  const file = sources?.[0] ?? target;
  const end = performance.now() + TIMEOUT_MS;
  // The document stays open, so that further requests do not open it again.
  await withTimeout(vscode.workspace.openTextDocument(file));
  let quietRounds = 0;
  while (quietRounds < QUIET_ROUNDS && performance.now() < end) {
    const countBefore = changes();
    await pause(ROUND_MS);
    await withTimeout(
      vscode.commands.executeCommand("vscode.executeTypeDefinitionProvider", file, new vscode.Position(0, 0)),
    );
    quietRounds = changes() === countBefore ? quietRounds + 1 : 0;
  }
}

/** The result of a step after an edit; a failure or time-out affects neither the edit nor other steps. */
const withTimeout = <Value>(value: Thenable<Value>): Promise<Value | undefined> =>
  Promise.race([value, pause(TIMEOUT_MS)]).then(
    (done) => done ?? undefined,
    () => undefined,
  );

/** Whether saving a document would change nothing. */
async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const bytes = await withTimeout(vscode.workspace.fs.readFile(document.uri));
  return bytes !== undefined && new TextDecoder().decode(bytes) === document.getText();
}

/** Hashes a text without carriage returns: a document has one kind of line end, whatever its file has. */
const hashOf = (document: vscode.TextDocument): string =>
  createHash("sha256").update(document.getText().replaceAll("\r", "")).digest("hex");
