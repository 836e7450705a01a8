// The messages between the tests in a window and the harness outside of it: over a socket, one JSON object per line.
// The tests send requests; the harness answers each, in order.

/** The environment variable with the path of the socket. */
export const SOCKET = "ZUBI_TEST_SOCKET";

/** The environment variable with the program under test. */
export const PROGRAM = "ZUBI_TEST_SERVER";

/** The result of a case. */
export interface Outcome {
  readonly name: string;
  /** The failure; absent if the case passed. */
  readonly failure?: string;
}

/** A request of the tests. Selectors are Playwright's, for elements of this window's page; `frame >>> element` is inside a frame. */
export type Wish =
  /** The extension host has started, for the first time or after a reload; answered with `Begun`. */
  | { readonly wish: "begin"; readonly folder: string }
  | { readonly wish: "outcome"; readonly outcome: Outcome }
  /** There are no more cases. */
  | { readonly wish: "end" }
  /** Reloads the window, which ends this extension host. */
  | { readonly wish: "reload" }
  /** Waits until it is there; answered with its text. */
  | { readonly wish: "see"; readonly selector: string }
  /** Waits until it is not there. */
  | { readonly wish: "gone"; readonly selector: string }
  | { readonly wish: "click"; readonly selector: string }
  /** Replaces the text of a field. */
  | { readonly wish: "fill"; readonly selector: string; readonly text: string }
  | { readonly wish: "type"; readonly text: string }
  | { readonly wish: "press"; readonly keys: string }
  /** A picture of the window, in the directory for pictures. */
  | { readonly wish: "shot"; readonly name: string };

export interface Begun {
  readonly group: string;
  /** The number of its cases that have run before the window was reloaded. */
  readonly done: number;
}

/** The answer to a wish. */
export type Answer = { readonly value: unknown } | { readonly failure: string };
