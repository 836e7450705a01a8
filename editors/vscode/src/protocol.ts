// Messages between the extension and `zubi lsp` in addition to LSP. Written by `cargo xtask generate` from
// `crates/zubi-editor/src/wire.rs`; change it there.
import type { Diagnostic, WorkspaceEdit } from "vscode-languageserver-protocol";

/** Version of the channel. */
export const EDITOR_PROTOCOL = 1;

/** To the server, a request. Lists the tools. */
export const TOOLS_LIST = "zubi/tools/list";

/** To the server, a request. Describes a call without making it; shows no prompt. */
export const TOOLS_PREPARE = "zubi/tools/prepare";

/** To the server, a request. Calls a tool. */
export const TOOLS_CALL = "zubi/tools/call";

/** To the server, a request. Contributes tools and functions of extensions for as long as the connection lasts. */
export const TOOLS_REGISTER = "zubi/tools/register";

/** To the server, a request. Withdraws contributions. */
export const TOOLS_UNREGISTER = "zubi/tools/unregister";

/** To the editor, a notification. Reports that the list of tools has changed. */
export const TOOLS_DID_CHANGE = "zubi/tools/didChange";

/** To the server, a notification. Reports the open documents of the editor, whenever any of it has changed. */
export const EDITOR_DID_CHANGE = "zubi/editor/didChange";

/** To the editor, a request. Sends pending changes with `zubi/editor/didChange`, then answers null. */
export const EDITOR_FLUSH = "zubi/editor/flush";

/** To the editor, a request. Sends a request to the editor's language features, with LSP's method names and types. */
export const EDITOR_REQUEST = "zubi/editor/request";

/** To the editor, a request. Applies a change through the editor, whose extensions take part in it, as in updating imports. */
export const EDITOR_APPLY = "zubi/editor/applyEdit";

/** To the editor, a request. Runs a command of the editor; only allowed commands are sent. */
export const EDITOR_COMMAND = "zubi/editor/command";

/** To the editor, a request. Reads or writes a setting. */
export const EDITOR_CONFIG = "zubi/editor/config";

/** To the editor, a request. Calls a contribution of an extension. */
export const INVOKE_CONTRIBUTED = "zubi/editor/invokeContributed";

/** To the editor, a request. Requests approval from the user in a modal dialog. */
export const APPROVAL_REQUEST = "zubi/approval/request";

/** To the editor, a notification. Reports the status of this window's host, whenever any of it has changed. */
export const STATUS = "zubi/status";

/** To the server, a request. Forwards a request of a chat page to zubi's agent. */
export const AGENT_REQUEST = "zubi/agent/request";

/** To the editor, a request. Reports conversation events, from the first request on; answered once they are processed. */
export const AGENT_EVENTS = "zubi/agent/told";

/** To the server, a request. Runs a task of the agent to its end. Its approval prompts are sent with `zubi/approval/request`. */
export const AGENT_RUN = "zubi/agent/run";

/** To the editor, a request. Lists the models that extensions offer in the editor. */
export const MODEL_LIST = "zubi/model/list";

/** To the editor, a request. Requests an answer from one of the editor's models; deltas are sent before the complete answer. */
export const MODEL_REQUEST = "zubi/model/request";

/** To the server, a notification. Sends a delta of an answer as soon as it is available. */
export const MODEL_DELTA = "zubi/model/piece";

/** Result of `zubi/tools/list`. */
export interface ToolsListResult {
  readonly tools: readonly ToolSpec[];
}

/** One tool, as `zubi tools show --json` prints it. */
export interface ToolSpec {
  /** Id as in settings and filters: `lsp_definition`, `workspace.deploy`. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly toolset: string;
  readonly inputSchema: object;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly icon?: string;
}

/** The worst effect that a call can have. Every permission decision starts here. */
export type Effect = "read" | "plan" | "write" | "execute" | "network";

/** Message to show while a call runs, and confirmation to show before it; texts are Markdown. */
export interface ToolsPrepareResult {
  readonly message: string;
  readonly confirmation?: Confirmation;
}

/** A confirmation to show before a call. */
export interface Confirmation {
  readonly title: string;
  readonly message: string;
}

/** Result of `zubi/tools/call`: a text for a model; of a failure, the error with a hint. */
export interface ToolsCallResult {
  readonly text: string;
  readonly isError: boolean;
  /** Error code of a failure, one of those that `zubi tools codes` lists. */
  readonly code?: string;
  /** Structured result, if the tool has one. */
  readonly data?: unknown;
}

/** Result of `tools/register`: the full ids. */
export interface RegisteredTools {
  readonly tools: readonly string[];
  readonly functions: readonly string[];
}

/** Changes of the list of tools. */
export interface ToolsDidChangeParams {
  /** New and changed tools. */
  readonly added: readonly ToolSpec[];
  readonly removed: readonly string[];
}

/** A request to the editor's language features. */
export interface EditorRequestParams {
  /** LSP's method name. */
  readonly method: string;
  readonly params: unknown;
}

/** A change to apply through the editor. */
export interface EditorApplyParams {
  /** Operations in order. */
  readonly edit: WorkspaceEdit;
  /** SHA-256 of each text that the edit applies to, without carriage returns, by URI. If an open document has another text, the editor refuses all of it with LSP's `ContentModified`, whose message is the URI. */
  readonly texts: Readonly<Record<string, string>>;
  readonly save: Save;
  /** Temporary settings of the workspace, restored after the change. */
  readonly settings: readonly HeldSetting[];
  /** Whether files move and the editor must wait for extensions that update references to them. */
  readonly isFollowed: boolean;
}

/** Documents to save after a change: those not open before; those and the ones without unsaved changes; all changed ones. */
export type Save = "unopened" | "clean" | "all";

/** A setting that applies during a change. */
export interface HeldSetting {
  readonly key: string;
  readonly value: unknown;
}

/** A command of the editor; the result is its return value, or null. */
export interface EditorCommandParams {
  readonly command: string;
  readonly args: readonly unknown[];
}

/** A setting to read, or to write if there is a value; null removes it from the scope. */
export interface EditorConfigParams {
  readonly key: string;
  /** Scope to write to [default: `workspace`]. */
  readonly scope?: SettingScope;
  readonly value?: unknown;
}

/** Scope of a setting. */
export type SettingScope = "workspace" | "folder";

/** A call of a contributed tool or function. */
export interface InvokeContributedParams {
  /** Id as registered, without the client's prefix. */
  readonly tool?: string;
  readonly function?: string;
  readonly arguments: unknown;
  /** Token for `$/progress` to the server. */
  readonly token: number;
}

/** An approval prompt for a modal dialog. */
export interface ApprovalRequestParams {
  readonly title: string;
  readonly detail: string;
  /** Labels of the options that allow the call. */
  readonly options: readonly string[];
}

/** Status of this window's host. */
export interface StatusParams {
  /** Instance name of the host; absent if there is no host, with the reason in `problem`. */
  readonly instance?: string;
  /** Path of the discovery file. */
  readonly file?: string;
  readonly port?: number;
  readonly problem?: string;
  /** Connected clients. */
  readonly clients: readonly ConnectedClient[];
  /** Number of tools. */
  readonly tools: number;
  /** Changes whenever the list of tools changes. */
  readonly revision: number;
  /** Whether there are DomainLang models. */
  readonly hasModels: boolean;
}

/** A client that is connected to a host. */
export interface ConnectedClient {
  readonly name: string;
  readonly pid?: number;
}

/** Conversation events since the last message. */
export interface AgentEventsParams {
  /** Whether the client must reload earlier events: this is the first message, events were lost, or another folder is open. */
  readonly isFresh: boolean;
  /** Events in order, as the page receives them: `{conversation, event}`. */
  readonly told: readonly unknown[];
  /** The last of their prompts that the user must answer in the chat. */
  readonly waits?: WaitingQuestion;
}

/** An approval prompt that waits for an answer in the chat. */
export interface WaitingQuestion {
  readonly conversation: string;
  /** One line for people. */
  readonly text: string;
}

/** Result of a task, from the last event of its turn. */
export interface AgentRunResult {
  /** Conversation that contains the task. */
  readonly conversation: string;
  /** `completed`, or the reason why there is no complete answer. */
  readonly reason: string;
  /** The answer, or else a report of what was done. */
  readonly text: string;
  /** Error message, with a hint. */
  readonly problem?: string;
}

/** A request to a model of the editor. */
export interface ModelRequestParams {
  readonly id: string;
  readonly vendor: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Maximum output in tokens; the model's own limit if absent. */
  readonly maxOutput?: number;
  /** Token for `zubi/model/piece`. */
  readonly token: number;
}

/** A message in one of the editor's two roles. */
export interface ModelMessage {
  readonly role: ModelRole;
  readonly parts: readonly ModelPart[];
}

/** Author of a message. Tool results and instructions are the user's. */
export type ModelRole = "user" | "assistant";

/** One part of a message; exactly one field is set. */
export interface ModelPart {
  readonly text?: string;
  readonly call?: ModelCall;
  readonly outcome?: ModelOutcome;
}

/** A tool call that a model requests. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** An object, unless the model has produced another value. */
  readonly input: unknown;
}

/** Result of a tool call. */
export interface ModelOutcome {
  /** Id of the call. */
  readonly id: string;
  readonly text: string;
}

/** A tool as defined for the model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: unknown;
}

/** Result of `initialize`, under `zubi` in its experimental capabilities. */
export interface ServerOptions {
  readonly editorProtocol: number;
  /** Version of the program. */
  readonly version: string;
}

/** Parameters of `zubi/tools/call`; `zubi/tools/prepare` uses the first two. */
export interface ToolsCallParams {
  /** Id or wire name of the tool. */
  readonly id: string;
  readonly args?: unknown;
  /** Maximum length of the answer, in tokens. */
  readonly budget?: number | null;
  /** Token for `$/progress`. */
  readonly token?: number | string;
  /** Whether the user has approved the confirmation of `TOOLS_PREPARE`, if there was one. */
  readonly confirmed?: boolean;
}

/** Contributions of extensions; all are registered, or none. */
export interface ToolsRegisterParams {
  /** Tools with full ids: `namespace.name`. */
  readonly tools?: readonly ContributedTool[];
  /** Names that declared tools of the kind `function` may call. */
  readonly functions?: readonly string[];
}

/** A tool that a client contributes. */
export interface ContributedTool {
  /** Id without the client's prefix. */
  readonly id: string;
  readonly description: string;
  readonly title?: string | null;
  /** JSON Schema of the arguments, which are an object; absent for a tool without arguments. */
  readonly input?: object | null;
  /** `read`, `plan`, `write`, `execute` or `network` [default: `execute`]. */
  readonly effect?: string | null;
  /** Whether each call requires approval; if absent, the effect decides. A tool with `false` and without an effect is `read`. */
  readonly requiresApproval?: boolean | null;
  readonly category?: string | null;
  readonly tags?: readonly string[];
  /** Time-out in milliseconds. */
  readonly timeout?: number | null;
}

/** Parameters of `tools/unregister`: names as registered; if both lists are empty, everything. */
export interface UnregisterParams {
  readonly tools?: readonly string[];
  readonly functions?: readonly string[];
}

/** Open documents of the editor. */
export interface EditorDidChangeParams {
  /** File in the active editor. */
  readonly active?: ActiveFile | null;
  readonly open?: readonly OpenFile[];
  /** Documents whose diagnostics have changed since the last message. */
  readonly diagnosticsUris?: readonly string[];
}

/** The file in the active editor. */
export interface ActiveFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty?: boolean;
  readonly lineCount?: number;
  /** Changes with each change of the text; an editor that sends none sends no texts either. */
  readonly version?: number | null;
  /** Unsaved text; omitted if it was already sent for this version. */
  readonly text?: string | null;
  /** Position of the cursor; both numbers are 1-based. */
  readonly selection: Selection;
}

/** Position for people, 1-based. */
export interface Selection {
  /** 1-based line. */
  readonly line: number;
  /** 1-based column, in UTF-16 units. */
  readonly column: number;
}

/** A file that is open in the editor. */
export interface OpenFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty?: boolean;
  readonly lineCount?: number;
  /** Changes with each change of the text; an editor that sends none sends no texts either. */
  readonly version?: number | null;
  /** Unsaved text; omitted if it was already sent for this version. */
  readonly text?: string | null;
}

/** Result of a change. */
export interface EditorApplyResult {
  readonly applied: boolean;
  readonly failureReason?: string | null;
  /** Every document whose text has changed, including those changed by extensions; with its current URI. */
  readonly changed: readonly EditorChange[];
  /** Keys of settings that could not be restored. */
  readonly left?: readonly string[];
}

/** A document whose text has changed. */
export interface EditorChange {
  readonly uri: string;
  readonly before: string;
  readonly after: string;
  readonly isSaved: boolean;
  /** Whether the user has typed into it meanwhile: the new text is partly theirs, and neither saved nor reverted. */
  readonly isTyped?: boolean;
}

/** Values of a setting; null where it is not set. */
export interface EditorConfigResult {
  readonly key?: string;
  /** Effective value. */
  readonly value?: unknown;
  readonly default?: unknown;
  readonly user?: unknown;
  readonly workspace?: unknown;
  readonly folder?: unknown;
}

/** Result of `tools/invoke`. */
export interface InvokeResult {
  readonly success?: boolean;
  /** A string is shown as it is, any other value as JSON. */
  readonly data?: unknown;
  /** Error message of a failure. */
  readonly error?: string | null;
}

/** Index of the chosen option, or null if the call is denied. */
export interface ApprovalRequestResult {
  readonly choice?: number | null;
}

/** A request of a chat page. */
export interface AgentRequestParams {
  /** Method of the page's protocol: `hello`, `open`, `send`. */
  readonly method: string;
  readonly params?: unknown;
}

/** A task of an extension for the agent. The options apply to this run only. */
export interface AgentRunParams {
  readonly task: string;
  /** Same format as the setting `model`, which is the default. */
  readonly model?: string | null;
  /** Instructions to the model, placed before zubi's own. */
  readonly instructions?: string | null;
  readonly maxIterations?: number | null;
  /** Patterns of the tools to offer; if empty, all. */
  readonly tools?: readonly string[];
}

/** Models that extensions offer in the editor. */
export interface ModelListResult {
  readonly models: readonly EditorModel[];
}

/** A model, with the editor's own data. */
export interface EditorModel {
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  readonly maxInputTokens: number;
}

/** A complete answer, or the error. */
export interface ModelRequestResult {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly ModelCall[];
  readonly error?: ModelFailure | null;
}

/** Error of a model. */
export interface ModelFailure {
  /** Error code of the editor (`NoPermissions`, `Blocked`, `NotFound`), otherwise the name of the error. */
  readonly code?: string;
  readonly message?: string;
}

/** A delta of an answer: text, or reasoning. */
export interface ModelDeltaParams {
  /** Token of the request. */
  readonly token: number;
  readonly text?: string | null;
  readonly thought?: string | null;
}

/** Options of `initialize`, under `zubi` in its `initializationOptions`. Without them `zubi lsp` is a plain language server. They are read field by field, so that an invalid one does not affect the others. */
export interface ChannelOptions {
  /** `EDITOR_PROTOCOL`. */
  readonly editorProtocol: number;
  /** Methods that the editor answers: LSP's, and those of the channel that are sent to the editor. */
  readonly editorMethods: readonly string[];
  /** Whether zubi may start its own language servers for all other methods. */
  readonly headlessFallback: boolean;
  /** Port for other clients; 9847 means that port or the next free one. */
  readonly ipcPort: number;
  /** Whether the user trusts the open folders. */
  readonly isTrusted: boolean;
  /** Whether calls that require approval are allowed without a prompt. Denied calls stay denied. */
  readonly autoApprove: boolean;
  /** Patterns of the tools to offer; if empty, all. */
  readonly toolFilter: readonly string[];
  /** Values that declared tools may use as `${env:NAME}`. */
  readonly env: Readonly<Record<string, string>>;
  /** Commands of the editor that other programs may run, in addition to the default ones. */
  readonly allowedCommands: readonly string[];
  /** Whether zubi's agent uses the rule-based mock model. */
  readonly useMockLLM: boolean;
  /** Model of zubi's agent if a task names none. */
  readonly model: string;
  /** Maximum number of model requests in a turn. */
  readonly maxIterations: number;
}

/** Diagnostics of a document as in LSP, with additional fields: the result of `textDocument/diagnostic` and `zubi/validate`. */
export interface DocumentReport {
  readonly kind?: ReportKind;
  readonly items: readonly Diagnostic[];
  readonly isOpen?: boolean | null;
  /** Whether a server has reported since the document was opened or changed. A server without findings may not report. */
  readonly isCurrent?: boolean | null;
  readonly languageId?: string | null;
}

/** The one of LSP's report kinds that contains diagnostics. */
export type ReportKind = "full";
