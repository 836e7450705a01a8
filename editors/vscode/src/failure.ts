// Failures as texts that a model or a user can act on.
import type * as vscode from "vscode";

/** The text of whatever was thrown. */
export const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The server's own words for a failure begin like this. */
const TOLD = /^(Invalid input: |Error in |Failed to )/;

/** A tool's failure: in the server's words, or in the same form. */
export function failure(tool: string, error: unknown): string {
  const what = message(error);
  return TOLD.test(what) ? what : `Error in ${tool}: ${what}`;
}

/** A value that can be sent. Values without a JSON form fail here: the library would send no response at all. */
export const sendable = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

/** A text for a notification, whose links run commands: text from elsewhere must not contain any. */
export const unlinked = (text: string): string => text.replaceAll("](", "] (");

/** The outcome of a promise, unless this event happens first: then it fails at once. */
export function unless<Value>(
  happens: vscode.Event<unknown>,
  why: Error,
  something: PromiseLike<Value>,
): Promise<Value> {
  let listening: vscode.Disposable | undefined;
  const happened = new Promise<never>((_, reject) => {
    listening = happens(() => {
      reject(why);
    });
  });
  return Promise.race([something, happened]).finally(() => {
    listening?.dispose();
  });
}
