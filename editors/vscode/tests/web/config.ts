// What a run of the page's tests in a real Chromium is told, by the Rust test that starts it.

export interface Config {
  readonly chromium: string;
  /** The `zubi` under test. */
  readonly program: string;
  /** Behind `zubi web`. */
  readonly flags: readonly string[];
  /** Which cases; they run one after the other and build on each other. */
  readonly group: string;
  /** Where pictures go. */
  readonly shots: string;
  /** After so many seconds all of it is given up. */
  readonly deadline: number;
}
