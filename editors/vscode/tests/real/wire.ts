// The messages between the tests in a window and the harness outside: over a socket, one JSON object per line. The
// tests send requests; the harness answers them in order.

/** The environment variable with the path of the socket. */
export const SOCKET = "ZUBI_TEST_SOCKET";

/** The environment variable with the program under test. */
export const PROGRAM = "ZUBI_TEST_SERVER";

/** The result of a case. */
export interface Outcome {
  readonly name: string;
  readonly seconds: number;
  /** The failure; absent if the case passed. */
  readonly failure?: string;
}

/** A request of the tests. Selectors are Playwright's, for this page; `frame >>> element` is inside a frame. */
export type HarnessRequest =
  /** The extension host has started, for the first time or after a reload; answered with `Progress`. */
  | { readonly kind: "begin"; readonly folder: string }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** All cases have run. */
  | { readonly kind: "end" }
  /** Reloads the window, which ends this extension host. */
  | { readonly kind: "reload" }
  /** Waits until the element exists; answered with its text. */
  | { readonly kind: "see"; readonly selector: string }
  /** Waits until the element does not exist. */
  | { readonly kind: "gone"; readonly selector: string }
  /** Waits until VS Code has stored a value that matches this regular expression in JSON. */
  | { readonly kind: "stored"; readonly pattern: string }
  | { readonly kind: "click"; readonly selector: string }
  /** Replaces the text of a field. */
  | { readonly kind: "fill"; readonly selector: string; readonly text: string }
  | { readonly kind: "type"; readonly text: string }
  | { readonly kind: "press"; readonly keys: string }
  /** Takes a screenshot of the window, in the directory for screenshots. */
  | { readonly kind: "shot"; readonly name: string };

export interface Progress {
  readonly group: string;
  /** The number of its cases that ran before the window was reloaded. */
  readonly done: number;
}

/** The answer to a request. */
export type Answer = { readonly value: unknown } | { readonly failure: string };
