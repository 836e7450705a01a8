// Whether a language has a provider yet.
import * as vscode from "vscode";

/** The time for a language to its first answer. VS Code reports no registration of providers, so this polls. */
const [PATIENCE_MS, PAUSE_MS] = [10_000, 100];
/** Languages that have answered, and those that have had their time. */
const [awake, waited] = [new Set<string>(), new Set<string>()];

/** Until so many milliseconds have gone. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Opens a document, which activates its language, and waits once for that. Outlines show it, because only a language's own extension
 * has them: words and snippets are proposed for any language, and its files are searched for links.
 */
export async function wake(uri: vscode.Uri, token: vscode.CancellationToken): Promise<boolean> {
  const { languageId } = await vscode.workspace.openTextDocument(uri);
  const end = performance.now() + (waited.has(languageId) ? 0 : PATIENCE_MS);
  while (!awake.has(languageId)) {
    const asked = vscode.commands.executeCommand<unknown[] | undefined>("vscode.executeDocumentSymbolProvider", uri);
    const outline = await asked.then(
      (found) => found,
      () => undefined,
    );
    if (outline && outline.length > 0) awake.add(languageId);
    else if (performance.now() >= end || token.isCancellationRequested) break;
    else await pause(PAUSE_MS);
  }
  if (!token.isCancellationRequested) waited.add(languageId);
  return awake.has(languageId);
}

/**
 * Waits for the language's own server, of a document or of all that are open. While TypeScript loads a project, a second server
 * that knows only the one file answers (with the import instead of what is imported), but not questions about types: those wait.
 */
export async function fence(uri: vscode.Uri | undefined, position: unknown = new vscode.Position(0, 0)): Promise<void> {
  const open = vscode.workspace.textDocuments.map((document) => document.uri).filter(({ scheme }) => scheme === "file");
  // The answer does not matter, nor a failure.
  await Promise.allSettled(
    (uri ? [uri] : open).map((uri) =>
      vscode.commands.executeCommand("vscode.executeTypeDefinitionProvider", uri, position),
    ),
  );
}
