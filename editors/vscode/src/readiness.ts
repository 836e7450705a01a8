// Whether a language has a provider yet.
import * as vscode from "vscode";

/** The time-out for the first answer of a language, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** The polling interval in milliseconds. VS Code has no event for the registration of providers. */
const POLL_INTERVAL_MS = 100;
/** Languages that have answered. */
const activeLanguages = new Set<string>();
/** Languages for which the extension has waited once. */
const awaitedLanguages = new Set<string>();

/** Resolves after this time. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Opens a document, which activates its language, and waits for that once. The request is for outlines, because only a
 * language's own extension has them: VS Code itself has completions and links for any language.
 */
export async function activateLanguage(uri: vscode.Uri, token: vscode.CancellationToken): Promise<boolean> {
  const { languageId } = await vscode.workspace.openTextDocument(uri);
  const end = performance.now() + (awaitedLanguages.has(languageId) ? 0 : TIMEOUT_MS);
  while (!activeLanguages.has(languageId)) {
    const request = vscode.commands.executeCommand<unknown[] | undefined>("vscode.executeDocumentSymbolProvider", uri);
    const outline = await request.then(
      (found) => found,
      () => undefined,
    );
    if (outline && outline.length > 0) activeLanguages.add(languageId);
    else if (performance.now() >= end || token.isCancellationRequested) break;
    else await pause(POLL_INTERVAL_MS);
  }
  if (!token.isCancellationRequested) awaitedLanguages.add(languageId);
  return activeLanguages.has(languageId);
}

/**
 * Waits for the language's own server, for one document or all open ones. While TypeScript loads a project, a second
 * server answers that knows only single files (the import instead of the imported declaration). It does not answer
 * requests for types, so those wait for the project.
 */
export async function waitForProject(
  uri: vscode.Uri | undefined,
  position: unknown = new vscode.Position(0, 0),
): Promise<void> {
  const open = vscode.workspace.textDocuments.map((document) => document.uri).filter(({ scheme }) => scheme === "file");
  // Neither the answer nor a failure matters.
  await Promise.allSettled(
    (uri ? [uri] : open).map((uri) =>
      vscode.commands.executeCommand("vscode.executeTypeDefinitionProvider", uri, position),
    ),
  );
}
