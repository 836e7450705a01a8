// The configuration of the page's tests in a real Chromium, written by the Rust test that starts it.

export interface Config {
  readonly chromium: string;
  /** The `zubi` under test. */
  readonly program: string;
  /** The arguments after `zubi web`. */
  readonly flags: readonly string[];
  /** The group of cases; they run in order and build on each other. */
  readonly group: string;
  /** The directory for screenshots. */
  readonly shots: string;
  /** The deadline of the whole run, in seconds. */
  readonly deadline: number;
}
