// Failures as texts on which a model or a user can act.
import type * as vscode from "vscode";

/** The message of any thrown value. */
export const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The beginnings of the server's own error messages. */
const SERVER_MESSAGE = /^(Invalid input: |Error in |Failed to )/;

/** A tool's failure: the server's own message, or one in the same form. */
export function failure(tool: string, error: unknown): string {
  const text = message(error);
  return SERVER_MESSAGE.test(text) ? text : `Error in ${tool}: ${text}`;
}

/** A value that can be sent. Throws for values without a JSON form, for which the library would send no response. */
export const sendable = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

/** A text for a notification. Links in notifications run commands, so foreign text must not contain any. */
export const withoutLinks = (text: string): string => text.replaceAll("](", "] (");

/** Resolves with the promise, or rejects with the error as soon as the event fires. */
export function rejectOn<Value>(
  event: vscode.Event<unknown>,
  error: Error,
  promise: PromiseLike<Value>,
): Promise<Value> {
  let subscription: vscode.Disposable | undefined;
  const rejection = new Promise<never>((_, reject) => {
    subscription = event(() => {
      reject(error);
    });
  });
  return Promise.race([promise, rejection]).finally(() => {
    subscription?.dispose();
  });
}
