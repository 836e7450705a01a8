// The configuration of the page's tests in a real Chromium, from the Rust test that starts it.

export interface Config {
  readonly chromium: string;
  /** The `zubi` under test. */
  readonly program: string;
  /** Behind `zubi web`. */
  readonly flags: readonly string[];
  /** Which cases; they run one after the other and build on each other. */
  readonly group: string;
  /** The directory for screenshots. */
  readonly shots: string;
  /** The deadline of the whole run, in seconds. */
  readonly deadline: number;
}
