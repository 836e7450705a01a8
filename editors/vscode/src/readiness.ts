// Answers of a language that has only just been woken.
import * as vscode from "vscode";

/** How long a language may take from its first document to its first answer. */
const PATIENCE_MS = 10_000;

/** VS Code tells nobody when a language's providers are registered, so the question is repeated; this long after the last. */
const PAUSE_MS = 100;

/** Languages that have answered, or have had their time: an empty answer of theirs is one. */
const awake = new Set<string>();

/**
 * Asks about a document, which wakes its language. An empty answer of a language that has never answered may only mean that
 * nobody is there yet; then it is asked again until somebody answers or its time is over.
 */
export async function whenAwake<Found>(
  uri: vscode.Uri,
  token: vscode.CancellationToken,
  ask: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { languageId } = await vscode.workspace.openTextDocument(uri);
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (found.length > 0 || performance.now() > end) awake.add(languageId);
    if (awake.has(languageId) || token.isCancellationRequested) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
