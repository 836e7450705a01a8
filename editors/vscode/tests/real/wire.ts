// What the tests in a window and the harness outside of it say to each other: over a socket, one JSON object a line. The
// tests ask; each wish is answered, in order.

/** Where the socket is, as the extension host is told. */
export const SOCKET = "ZUBI_TEST_SOCKET";

/** The program under test, as the extension host is told. */
export const PROGRAM = "ZUBI_TEST_SERVER";

/** What a case came to. */
export interface Outcome {
  readonly name: string;
  /** What went wrong; absent when the case passed. */
  readonly failure?: string;
}

/** What the tests want of the harness. Selectors are Playwright's, of things in this window's page; `frame >>> thing` is one in a frame. */
export type Wish =
  /** The extension host has started, for the first time or after a reload; answered with `Begun`. */
  | { readonly wish: "begin"; readonly folder: string }
  | { readonly wish: "outcome"; readonly outcome: Outcome }
  /** There are no more cases. */
  | { readonly wish: "end" }
  /** Loads the window anew, which ends this extension host. */
  | { readonly wish: "reload" }
  /** Waits until it is there; answered with its text. */
  | { readonly wish: "see"; readonly selector: string }
  /** Waits until it is not there. */
  | { readonly wish: "gone"; readonly selector: string }
  | { readonly wish: "click"; readonly selector: string }
  /** Puts a text in place of what stands in a field. */
  | { readonly wish: "fill"; readonly selector: string; readonly text: string }
  | { readonly wish: "type"; readonly text: string }
  | { readonly wish: "press"; readonly keys: string }
  /** A picture of the window, in the directory for pictures. */
  | { readonly wish: "shot"; readonly name: string };

export interface Begun {
  readonly group: string;
  /** How many of its cases have run, before the window was loaded anew. */
  readonly done: number;
}

/** The answer to a wish. */
export type Answer = { readonly value: unknown } | { readonly failure: string };
