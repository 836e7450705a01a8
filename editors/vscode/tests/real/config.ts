// The configuration of a test run in a real VS Code, written by the Rust test that starts it.

/** A window and its group of cases. */
export interface Window {
  /** The open folder; it differs between windows. */
  readonly folder: string;
  readonly group: string;
}

export interface Config {
  /** The directory of `code-server`. */
  readonly vscode: string;
  readonly chromium: string;
  /** The `zubi` under test, which the extension starts. */
  readonly server: string;
  /** The windows; all are open at the same time. */
  readonly windows: readonly Window[];
  /**
   * Whether VS Code runs as for a user: the extension is installed, and dialogs are shown and wait for an answer.
   * Otherwise it runs as for its own tests: the page names extension and tests, and every dialog confirms itself.
   */
  readonly likeUser: boolean;
  /** A package to install, whose own program runs; only with `likeUser`. Without it the extension is assembled. */
  readonly vsix?: string;
  /** Whether a folder is trusted only after the user's confirmation. */
  readonly untrusted: boolean;
  /** Other extensions, by name (see `assemble.ts`). */
  readonly extensions: readonly string[];
  /** Additional environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings of the machine scope. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An empty directory for all written files. */
  readonly scratch: string;
  /** The directory for results. */
  readonly results: string;
  /** The directory for screenshots. */
  readonly shots: string;
  /** The deadline of the whole run, in seconds. */
  readonly deadline: number;
}
