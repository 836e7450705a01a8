// Failures as texts that a model or a user can act on.
import type * as vscode from "vscode";

/** The message of any thrown value. */
export const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The beginnings of the server's own error messages. */
const SERVER_MESSAGE = /^(Invalid input: |Error in |Failed to )/;

/** A tool's failure: in the server's words, or in the same form. */
export function failure(tool: string, error: unknown): string {
  const text = message(error);
  return SERVER_MESSAGE.test(text) ? text : `Error in ${tool}: ${text}`;
}

/** A value that can be sent. Values without a JSON form fail here: the library would send no response at all. */
export const sendable = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

/** A text for a notification, whose links run commands: text from elsewhere must not contain any. */
export const withoutLinks = (text: string): string => text.replaceAll("](", "] (");

/** The outcome of a promise, or this error as soon as the event fires. */
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
