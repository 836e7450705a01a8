// The editor channel: what the extension and `zubi lsp` say to each other beyond LSP. The Rust side has the same names.

/** Version of the channel. */
export const EDITOR_PROTOCOL = 1;

/** What the server is told with `initialize`, under `zubi` in its options. Without it `zubi lsp` is a plain server. */
export interface ChannelOptions {
  readonly editorProtocol: typeof EDITOR_PROTOCOL;
  /** The methods that the editor answers. */
  readonly editorMethods: readonly string[];
  /** Whether zubi may start language servers of its own for all others. */
  readonly headlessFallback: boolean;
  /** The port that others may use; absent: the usual one, or the next that is free. */
  readonly ipcPort?: number;
}

/** Client to server: calls a tool of zubi. */
export const TOOLS_CALL = "zubi/tools/call";

export interface ToolsCallParams {
  readonly id: string;
  readonly args: unknown;
  /** Upper bound of the answer in tokens. */
  readonly budget?: number;
}

/** The answer's text, made for a model; of a failure, what went wrong and the next step. */
export interface ToolsCallResult {
  readonly text: string;
  readonly isError?: boolean;
}

/** Client to server: what is open in the editor, whenever any of it has changed. */
export const EDITOR_DID_CHANGE = "zubi/editor/didChange";

export interface OpenFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty: boolean;
  readonly lineCount: number;
}

export interface EditorDidChangeParams {
  /** What the user looks at, with the cursor; both numbers from 1. */
  readonly active: (OpenFile & { readonly selection: { readonly line: number; readonly column: number } }) | null;
  readonly open: readonly OpenFile[];
  /** Documents whose problems have changed since this was told before. */
  readonly diagnosticsUris: readonly string[];
}

/** Server to client: a question to the editor's language features, in LSP's method names and shapes. */
export const EDITOR_REQUEST = "zubi/editor/request";

export interface EditorRequestParams {
  readonly method: string;
  readonly params: unknown;
}

/** Server to client: runs a command of the editor; the result is what the command returned, or null. */
export const EDITOR_COMMAND = "zubi/editor/command";

export interface EditorCommandParams {
  readonly command: string;
  readonly args?: readonly unknown[];
}

/** Server to client: reads a setting, or writes it when there is a `value`. */
export const EDITOR_CONFIG = "zubi/editor/config";

export interface EditorConfigParams {
  readonly key: string;
  readonly scope?: "user" | "workspace";
  readonly value?: unknown;
}

export interface EditorConfigResult {
  readonly key: string;
  /** What the setting is now; null when nobody has set it and it has no default. */
  readonly value: unknown;
}
