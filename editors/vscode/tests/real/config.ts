// The configuration of a test run in a real VS Code, from the Rust test that starts it.

/** A window, and the group of cases that runs in it. */
export interface Window {
  /** The folder that is open. No two windows have the same. */
  readonly folder: string;
  readonly group: string;
}

export interface Config {
  /** The directory of `code-server`. */
  readonly vscode: string;
  readonly chromium: string;
  /** The `zubi` under test, which the extension starts. */
  readonly server: string;
  /** All open at the same time. */
  readonly windows: readonly Window[];
  /**
   * As a user has it: the extension is installed, dialogs are shown and wait for an answer. Otherwise VS Code runs as for its
   * own tests: extension and tests are named by the page, and every dialog confirms itself.
   */
  readonly likeUser: boolean;
  /** A package to install, whose own program runs; only with `likeUser`. Otherwise the extension is assembled. */
  readonly vsix?: string;
  /** Whether folders are trusted only when the user confirms it. */
  readonly untrusted: boolean;
  /** Other extensions, by name (see `assemble.ts`). */
  readonly extensions: readonly string[];
  /** Additional environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings of machine scope. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An empty directory for everything that is written. */
  readonly scratch: string;
  /** The directory for results. */
  readonly results: string;
  /** The directory for screenshots. */
  readonly shots: string;
  /** The deadline of the whole run, in seconds. */
  readonly deadline: number;
}
