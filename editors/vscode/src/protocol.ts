// The editor channel: what the extension and `zubi lsp` say to each other beyond LSP. The Rust side has the same names.
import type { Diagnostic, WorkspaceEdit } from "vscode-languageserver-protocol";

/** Version of the channel. */
export const EDITOR_PROTOCOL = 1;

/** What the server is told with `initialize`, under `zubi` in its options. Without it `zubi lsp` is a plain server. */
export interface ChannelOptions {
  readonly editorProtocol: typeof EDITOR_PROTOCOL;
  /** The methods that the editor answers: LSP's, and those of this file that go to the editor. */
  readonly editorMethods: readonly string[];
  /** Whether zubi may start language servers of its own for all others. */
  readonly headlessFallback: boolean;
  /** The port that others may use; 9847: that one, or the next that is free. */
  readonly ipcPort: number;
  /** Whether the user trusts the folders that are open. */
  readonly isTrusted: boolean;
  /** Whether what would be asked is allowed without asking. What is denied stays denied. */
  readonly autoApprove: boolean;
  /** Patterns of the tools that there are; none: all. */
  readonly toolFilter: readonly string[];
  /** Values that declared tools may use as `${env:NAME}`. */
  readonly env: Readonly<Record<string, string>>;
  /** Commands of the editor that other programs may run besides the usual ones. */
  readonly allowedCommands: readonly string[];
}

/** What the server answers `initialize` with, under `zubi` in its experimental capabilities. */
export interface ServerOptions {
  readonly editorProtocol: number;
  /** Of the program. */
  readonly version: string;
}

/** Client to server: the tools that there are, as `zubi tools show --json` prints them. */
export const TOOLS_LIST = "zubi/tools/list";

export interface ToolSpec {
  /** As in settings and filters: `lsp_definition`, `workspace.deploy`. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "plan" | "write" | "execute" | "network";
  readonly toolset: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly icon?: string;
}

export interface ToolsListResult {
  readonly tools: readonly ToolSpec[];
}

/** Client to server: what a call would do, without doing it. */
export const TOOLS_PREPARE = "zubi/tools/prepare";

/** What the user reads while it runs, and what he is asked before; texts are Markdown. */
export interface ToolsPrepareResult {
  readonly message: string;
  readonly confirmation?: { readonly title: string; readonly message: string };
}

/** Client to server: calls a tool of zubi. */
export const TOOLS_CALL = "zubi/tools/call";

/** Also of `TOOLS_PREPARE`, which looks at the first two. */
export interface ToolsCallParams {
  readonly id: string;
  readonly args: unknown;
  /** Upper bound of the answer in tokens. */
  readonly budget?: number;
  /** For `$/progress`. */
  readonly token?: string | number;
  /** The user has said yes to what `TOOLS_PREPARE` gave to be confirmed, if it gave anything. */
  readonly confirmed?: boolean;
}

/** The answer's text, made for a model; of a failure, what went wrong and the next step. */
export interface ToolsCallResult {
  readonly text: string;
  readonly isError?: boolean;
  readonly code?: string;
  readonly data?: unknown;
}

/** Client to server: tools and functions that extensions contribute; all of a request, or none. */
export const TOOLS_REGISTER = "zubi/tools/register";

export interface ContributedTool {
  /** `namespace.name`. */
  readonly id: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly input?: unknown;
  /** Absent: `read` of a tool that requires no approval, else `execute`. */
  readonly effect?: ToolSpec["effect"];
  readonly requiresApproval?: boolean;
  readonly category?: string;
  readonly tags?: readonly string[];
  /** In milliseconds. */
  readonly timeout?: number;
}

export interface ToolsRegisterParams {
  readonly tools: readonly ContributedTool[];
  /** Names that declared tools of the kind `function` may call. */
  readonly functions: readonly string[];
}

/** Client to server: takes contributions back. */
export const TOOLS_UNREGISTER = "zubi/tools/unregister";

export interface ToolsUnregisterParams {
  readonly tools: readonly string[];
  readonly functions: readonly string[];
}

/** Server to client, a notification: there are other tools. */
export const TOOLS_DID_CHANGE = "zubi/tools/didChange";

export interface ToolsDidChangeParams {
  readonly added: readonly ToolSpec[];
  readonly removed: readonly string[];
}

/** Client to server, a notification: what is open in the editor, whenever any of it has changed. */
export const EDITOR_DID_CHANGE = "zubi/editor/didChange";

export interface OpenFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty: boolean;
  readonly lineCount: number;
  /** Another number with each change of the text. */
  readonly version: number;
  /** What is not saved; left out once it was told for this version. */
  readonly text?: string;
}

export interface EditorDidChangeParams {
  /** What the user looks at, with the cursor; both numbers from 1. */
  readonly active: (OpenFile & { readonly selection: { readonly line: number; readonly column: number } }) | null;
  readonly open: readonly OpenFile[];
  /** Documents whose problems have changed since this was told before. */
  readonly diagnosticsUris: readonly string[];
}

/** Server to client: tells what has not been told yet (`EDITOR_DID_CHANGE`), and answers null after it. */
export const EDITOR_FLUSH = "zubi/editor/flush";

/** Server to client: a question to the editor's language features, in LSP's method names and shapes. */
export const EDITOR_REQUEST = "zubi/editor/request";

export interface EditorRequestParams {
  readonly method: string;
  readonly params: unknown;
}

/** A document's problems as LSP has them, with what else is known. */
export interface DocumentReport {
  readonly kind: "full";
  readonly items: readonly Diagnostic[];
  readonly isOpen: boolean;
  /** Whether somebody has spoken since the document was opened or changed. Who finds nothing may say nothing. */
  readonly isCurrent: boolean;
  readonly languageId?: string;
}

/** Server to client: makes a change through the editor, whose extensions take part in it (imports follow files that move). */
export const EDITOR_APPLY = "zubi/editor/applyEdit";

export interface EditorApplyParams {
  readonly label: string;
  /** In order. */
  readonly edit: WorkspaceEdit;
  /**
   * By URI, SHA-256 of each text that the edit was made for, without carriage returns. An open document that has another one
   * refuses all of it with LSP's `ContentModified`, whose message is the URI.
   */
  readonly texts: Readonly<Record<string, string>>;
  /** What is saved afterwards: what was not open before; that and what had nothing unsaved; everything that was changed. */
  readonly save: "unopened" | "clean" | "all";
  /** Settings of the workspace that hold meanwhile, and are put back. */
  readonly settings: readonly { readonly key: string; readonly value: unknown }[];
  /** Whether files move and extensions are waited for that change what refers to them. */
  readonly isFollowed: boolean;
}

export interface EditorApplyResult {
  readonly applied: boolean;
  readonly failureReason?: string;
  /** Every document that has another text now, those that extensions changed among them; as it is named now. */
  readonly changed: readonly EditorChange[];
  /** Settings that could not be put back. */
  readonly left?: readonly string[];
}

export interface EditorChange {
  readonly uri: string;
  readonly before: string;
  readonly after: string;
  readonly isSaved: boolean;
}

/** Server to client: runs a command of the editor; the result is what the command returned, or null. */
export const EDITOR_COMMAND = "zubi/editor/command";

export interface EditorCommandParams {
  readonly command: string;
  readonly args?: readonly unknown[];
}

/** Server to client: reads a setting, or writes it when there is a `value`; null takes it out of the scope. */
export const EDITOR_CONFIG = "zubi/editor/config";

export type SettingScope = "user" | "workspace" | "folder";

export interface EditorConfigParams {
  readonly key: string;
  /** Written at; absent: `workspace`. */
  readonly scope?: SettingScope;
  readonly value?: unknown;
}

/** What the setting is now; null where it is not set. */
export interface EditorConfigResult {
  readonly key: string;
  /** What holds. */
  readonly value: unknown;
  readonly default: unknown;
  readonly user: unknown;
  readonly workspace: unknown;
  readonly folder: unknown;
}

/** Server to client: calls what an extension has contributed; `token` is for `$/progress` to the server. */
export const INVOKE_CONTRIBUTED = "zubi/editor/invokeContributed";

export interface InvokeContributedParams {
  readonly tool?: string;
  readonly function?: string;
  readonly arguments: unknown;
  readonly token?: string | number;
}

export interface InvokeContributedResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

/** Server to client: asks the user, in a dialog that he has to answer. */
export const APPROVAL_REQUEST = "zubi/approval/request";

export interface ApprovalRequestParams {
  readonly title: string;
  readonly detail: string;
  /** Labels of the answers that allow it. */
  readonly options: readonly string[];
}

/** Which of the options was chosen; null: it is not allowed. */
export interface ApprovalRequestResult {
  readonly choice: number | null;
}

/** Server to client, a notification: how the host of this window is doing, whenever any of it has changed. */
export const STATUS = "zubi/status";

export interface StatusParams {
  /** What others find this host by; absent while there is none, `problem` says why. */
  readonly instance?: string;
  /** The discovery file. */
  readonly file?: string;
  readonly port?: number;
  readonly problem?: string;
  /** Who is connected. */
  readonly clients: readonly { readonly name: string; readonly pid?: number }[];
  /** How many tools there are. */
  readonly tools: number;
  /** Another number when there are other tools. */
  readonly revision: number;
  /** Whether there are DomainLang models. */
  readonly hasModels: boolean;
}
