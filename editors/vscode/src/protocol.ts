// Messages between the extension and `zubi lsp` in addition to LSP. Written by `cargo xtask generate` from
// `crates/zubi-editor/src/wire.rs`; change it there.
import type { Diagnostic, WorkspaceEdit } from "vscode-languageserver-protocol";

/** Version of the channel. */
export const EDITOR_PROTOCOL = 1;

/** To the server, a request. The tools that there are. */
export const TOOLS_LIST = "zubi/tools/list";

/** To the server, a request. What a call would do, without doing it; nobody is asked anything. */
export const TOOLS_PREPARE = "zubi/tools/prepare";

/** To the server, a request. Calls a tool. */
export const TOOLS_CALL = "zubi/tools/call";

/** To the server, a request. Contributes tools and functions of extensions, as long as the connection lasts. */
export const TOOLS_REGISTER = "zubi/tools/register";

/** To the server, a request. Takes contributions back. */
export const TOOLS_UNREGISTER = "zubi/tools/unregister";

/** To the editor, a notification. There are other tools. */
export const TOOLS_DID_CHANGE = "zubi/tools/didChange";

/** To the server, a notification. What is open in the editor, whenever any of it has changed. */
export const EDITOR_DID_CHANGE = "zubi/editor/didChange";

/** To the editor, a request. Tells with `zubi/editor/didChange` what has not been told yet, and answers null after it. */
export const EDITOR_FLUSH = "zubi/editor/flush";

/** To the editor, a request. A question to the editor's language features, in LSP's method names and shapes. */
export const EDITOR_REQUEST = "zubi/editor/request";

/** To the editor, a request. Makes a change through the editor, whose extensions take part in it: imports follow files that move. */
export const EDITOR_APPLY = "zubi/editor/applyEdit";

/** To the editor, a request. Runs a command of the editor; only those that are allowed are sent. */
export const EDITOR_COMMAND = "zubi/editor/command";

/** To the editor, a request. Reads a setting, or writes it. */
export const EDITOR_CONFIG = "zubi/editor/config";

/** To the editor, a request. Calls what an extension has contributed. */
export const INVOKE_CONTRIBUTED = "zubi/editor/invokeContributed";

/** To the editor, a request. Asks the user, in a dialog that has to be answered. */
export const APPROVAL_REQUEST = "zubi/approval/request";

/** To the editor, a notification. How the host of this window is doing, whenever any of it has changed. */
export const STATUS = "zubi/status";

/** To the server, a request. A request of a chat page, passed on to zubi's agent as it is. */
export const AGENT_REQUEST = "zubi/agent/request";

/** To the editor, a request. What happens in conversations, from the first request on. Answered when it was taken in: meanwhile the next events collect. */
export const AGENT_TOLD = "zubi/agent/told";

/** To the server, a request. A task for the agent, answered when it has ended. Its questions are asked with `zubi/approval/request`. */
export const AGENT_RUN = "zubi/agent/run";

/** To the editor, a request. The models that extensions offer in the editor. */
export const MODEL_LIST = "zubi/model/list";

/** To the editor, a request. Asks one of the editor's models. The answer is whole; its pieces are told before. */
export const MODEL_REQUEST = "zubi/model/request";

/** To the server, a notification. A piece of an answer, as soon as it is there. */
export const MODEL_PIECE = "zubi/model/piece";

/** The answer to `zubi/tools/list`. */
export interface ToolsListResult {
  readonly tools: readonly ToolSpec[];
}

/** One tool, as `zubi tools show --json` prints it. */
export interface ToolSpec {
  /** As in settings and filters: `lsp_definition`, `workspace.deploy`. */
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

/** What a call can do to the world. Everything about permission starts here. */
export type Effect = "read" | "plan" | "write" | "execute" | "network";

/** What the user reads while a call runs, and what is asked before; texts are Markdown. */
export interface ToolsPrepareResult {
  readonly message: string;
  readonly confirmation?: Confirmation;
}

/** A question before a call. */
export interface Confirmation {
  readonly title: string;
  readonly message: string;
}

/** The answer's text, made for a model; of a failure, what went wrong and the next step. */
export interface ToolsCallResult {
  readonly text: string;
  readonly isError: boolean;
  /** Of a failure, one of those that `zubi tools codes` lists. */
  readonly code?: string;
  /** The same for a program, where the tool has it. */
  readonly data?: unknown;
}

/** The answer to `tools/register`: the whole ids. */
export interface Registered {
  readonly tools: readonly string[];
  readonly functions: readonly string[];
}

/** There are other tools. */
export interface ToolsDidChangeParams {
  /** New, or others than before. */
  readonly added: readonly ToolSpec[];
  readonly removed: readonly string[];
}

/** A question to the editor's language features. */
export interface EditorRequestParams {
  /** LSP's name of it. */
  readonly method: string;
  readonly params: unknown;
}

/** A change through the editor. */
export interface EditorApplyParams {
  /** In order. */
  readonly edit: WorkspaceEdit;
  /** By URI, SHA-256 of each text that the edit was made for, without carriage returns. An open document that has another one refuses all of it with LSP's `ContentModified`, whose message is the URI. */
  readonly texts: Readonly<Record<string, string>>;
  readonly save: Save;
  /** Settings of the workspace that hold meanwhile, and are put back. */
  readonly settings: readonly HeldSetting[];
  /** Whether files move and extensions are waited for that change what refers to them. */
  readonly isFollowed: boolean;
}

/** What is saved after a change: what was not open before; that and what had nothing unsaved; everything that was changed. */
export type Save = "unopened" | "clean" | "all";

/** A setting that holds during a change. */
export interface HeldSetting {
  readonly key: string;
  readonly value: unknown;
}

/** A command of the editor; the result is what it returned, or null. */
export interface EditorCommandParams {
  readonly command: string;
  readonly args: readonly unknown[];
}

/** A setting that is read, or written where there is a value; null takes it out of the scope. */
export interface EditorConfigParams {
  readonly key: string;
  /** Written at; absent: `workspace`. */
  readonly scope?: SettingScope;
  readonly value?: unknown;
}

/** Where a setting stands. */
export type SettingScope = "workspace" | "folder";

/** A call of what an extension has contributed. */
export interface InvokeContributedParams {
  /** As it was registered, without the client's prefix. */
  readonly tool?: string;
  readonly function?: string;
  readonly arguments: unknown;
  /** For `$/progress` to the server. */
  readonly token: number;
}

/** A question to the user, in a dialog that has to be answered. */
export interface ApprovalRequestParams {
  readonly title: string;
  readonly detail: string;
  /** Labels of the answers that allow it. */
  readonly options: readonly string[];
}

/** How the host of this window is doing. */
export interface StatusParams {
  /** What others find this host by; absent while there is none, `problem` says why. */
  readonly instance?: string;
  /** The discovery file. */
  readonly file?: string;
  readonly port?: number;
  readonly problem?: string;
  /** Who is connected. */
  readonly clients: readonly ConnectedClient[];
  /** How many tools there are. */
  readonly tools: number;
  /** Another number when there are other tools. */
  readonly revision: number;
  /** Whether there are DomainLang models. */
  readonly hasModels: boolean;
}

/** Somebody who is connected to a host. */
export interface ConnectedClient {
  readonly name: string;
  readonly pid?: number;
}

/** What happened in conversations since it was told before. */
export interface AgentToldParams {
  /** Whether what was before has to be asked for anew: it is the first time, something of it was lost, or another folder is open. */
  readonly isFresh: boolean;
  /** As the page is told it, in order: `{conversation, event}`. */
  readonly told: readonly unknown[];
  /** The last question among them that somebody has to answer in the chat. */
  readonly waits?: WaitingQuestion;
}

/** A question that waits for an answer in the chat. */
export interface WaitingQuestion {
  readonly conversation: string;
  /** For a person, a line. */
  readonly text: string;
}

/** What came of it: how it ended, as the last event of the turn says. */
export interface AgentRunResult {
  /** Where it can be read. */
  readonly conversation: string;
  /** `completed`, or why there is no whole answer. */
  readonly reason: string;
  /** The answer; a report of what was done, where there is none. */
  readonly text: string;
  /** What went wrong, with the next step. */
  readonly problem?: string;
}

/** A question to a model of the editor. */
export interface ModelRequestParams {
  readonly id: string;
  readonly vendor: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** In tokens; the model's own limit if there is none. */
  readonly maxOutput?: number;
  /** For `zubi/model/piece`. */
  readonly token: number;
}

/** A message in one of the editor's two roles. */
export interface ModelMessage {
  readonly role: ModelRole;
  readonly parts: readonly ModelPart[];
}

/** Who says it. What calls came to is the user's, and so are instructions. */
export type ModelRole = "user" | "assistant";

/** A part of a message: one of the three. */
export interface ModelPart {
  readonly text?: string;
  readonly call?: ModelCall;
  readonly outcome?: ModelOutcome;
}

/** A call that a model wants made. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** An object, unless the model has written something else. */
  readonly input: unknown;
}

/** What came of a call. */
export interface ModelOutcome {
  /** Of the call. */
  readonly id: string;
  readonly text: string;
}

/** A tool as the model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly inputSchema: unknown;
}

/** What the server answers `initialize` with, under `zubi` in its experimental capabilities. */
export interface ServerOptions {
  readonly editorProtocol: number;
  /** Of the program. */
  readonly version: string;
}

/** Parameters of `zubi/tools/call`; `zubi/tools/prepare` looks at the first two. */
export interface ToolsCallParams {
  /** Id or wire name of the tool. */
  readonly id: string;
  readonly args?: unknown;
  /** Upper bound of the answer, in tokens. */
  readonly budget?: number | null;
  /** For `$/progress`. */
  readonly token?: number | string;
  /** The user has said yes to what `TOOLS_PREPARE` gave to be confirmed, if it gave anything. */
  readonly confirmed?: boolean;
}

/** What extensions contribute; all of it, or none. */
export interface ToolsRegisterParams {
  /** Their ids are whole: `namespace.name`. */
  readonly tools?: readonly ContributedTool[];
  /** Names that declared tools of the kind `function` may call. */
  readonly functions?: readonly string[];
}

/** A tool that a client contributes. */
export interface ContributedTool {
  /** Without the client's prefix. */
  readonly id: string;
  readonly description: string;
  readonly title?: string | null;
  /** JSON Schema of the arguments, an object; nothing means none. */
  readonly input?: object | null;
  /** `read`, `plan`, `write`, `execute` or `network`; `execute` if it is not said. */
  readonly effect?: string | null;
  /** Whether the user is asked before each call; not said: the effect decides. A tool that says no and no effect is `read`. */
  readonly requiresApproval?: boolean | null;
  readonly category?: string | null;
  readonly tags?: readonly string[];
  /** In milliseconds. */
  readonly timeout?: number | null;
}

/** `tools/unregister`: by what was registered; both empty: everything. */
export interface UnregisterParams {
  readonly tools?: readonly string[];
  readonly functions?: readonly string[];
}

/** What is open in the editor. */
export interface EditorDidChangeParams {
  /** What the user looks at. */
  readonly active?: ActiveFile | null;
  readonly open?: readonly OpenFile[];
  /** Documents whose problems have changed since this was told before. */
  readonly diagnosticsUris?: readonly string[];
}

/** The file that the user looks at. */
export interface ActiveFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty?: boolean;
  readonly lineCount?: number;
  /** Another number with each change of the text; an editor that tells none tells no texts either. */
  readonly version?: number | null;
  /** What is not saved; left out once it was told for this version. */
  readonly text?: string | null;
  /** The cursor; both numbers from 1. */
  readonly selection: Selection;
}

/** A place as people count. */
export interface Selection {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/** A file that is open in the editor. */
export interface OpenFile {
  readonly uri: string;
  readonly languageId: string;
  readonly isDirty?: boolean;
  readonly lineCount?: number;
  /** Another number with each change of the text; an editor that tells none tells no texts either. */
  readonly version?: number | null;
  /** What is not saved; left out once it was told for this version. */
  readonly text?: string | null;
}

/** What a change came to. */
export interface EditorApplyResult {
  readonly applied: boolean;
  readonly failureReason?: string | null;
  /** Every document that has another text now, those that extensions changed among them; as it is named now. */
  readonly changed: readonly EditorChange[];
  /** Settings that could not be put back. */
  readonly left?: readonly string[];
}

/** A document that has another text now. */
export interface EditorChange {
  readonly uri: string;
  readonly before: string;
  readonly after: string;
  readonly isSaved: boolean;
  /** Whether the user typed into it meanwhile: the text after is his too, and neither saved nor taken back. */
  readonly isTyped?: boolean;
}

/** What a setting is; null where it is not set. */
export interface EditorConfigResult {
  readonly key?: string;
  /** What holds. */
  readonly value?: unknown;
  readonly default?: unknown;
  readonly user?: unknown;
  readonly workspace?: unknown;
  readonly folder?: unknown;
}

/** The answer to `tools/invoke`. */
export interface InvokeResult {
  readonly success?: boolean;
  /** A text is shown as it is, anything else as JSON. */
  readonly data?: unknown;
  /** Of a failure, what went wrong. */
  readonly error?: string | null;
}

/** Which of the options was chosen; null: it is not allowed. */
export interface ApprovalRequestResult {
  readonly choice?: number | null;
}

/** A request of a chat page. */
export interface AgentRequestParams {
  /** As in the page's own protocol: `hello`, `open`, `send`. */
  readonly method: string;
  readonly params?: unknown;
}

/** A task for the agent, of an extension. What it says holds for this run alone. */
export interface AgentRunParams {
  readonly task: string;
  /** As the setting; that one, if it names none. */
  readonly model?: string | null;
  /** In front of zubi's own instructions to the model. */
  readonly instructions?: string | null;
  readonly maxIterations?: number | null;
  /** Patterns of the tools that there are for it; none: all. */
  readonly tools?: readonly string[];
}

/** The models that extensions offer in the editor. */
export interface ModelListResult {
  readonly models: readonly EditorModel[];
}

/** One of them, in the editor's own words. */
export interface EditorModel {
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  readonly maxInputTokens: number;
}

/** A whole answer, or why there is none. */
export interface ModelRequestResult {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly ModelCall[];
  readonly error?: ModelFailure | null;
}

/** Why a model gave no answer. */
export interface ModelFailure {
  /** The editor's: `NoPermissions`, `Blocked`, `NotFound`; else the name of the error. */
  readonly code?: string;
  readonly message?: string;
}

/** A piece of an answer: text, or what the model thinks aloud. */
export interface ModelPieceParams {
  /** Of the request. */
  readonly token: number;
  readonly text?: string | null;
  readonly thought?: string | null;
}

/** What the server is told with `initialize`, under `zubi` in its options. Without it `zubi lsp` is a plain server. It is read field by field, so that one that makes no sense does not take the others with it. */
export interface ChannelOptions {
  /** `EDITOR_PROTOCOL`. */
  readonly editorProtocol: number;
  /** The methods that the editor answers: LSP's, and those of the channel that go to the editor. */
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
  /** Whether zubi's agent asks a model that only follows rules. */
  readonly useMockLLM: boolean;
  /** The model that zubi's agent asks if none is named. */
  readonly model: string;
  /** How often it is asked in a turn. */
  readonly maxIterations: number;
}

/** A document's problems as LSP has them, with what else is known: the result of `textDocument/diagnostic` and `zubi/validate`. */
export interface DocumentReport {
  readonly kind?: ReportKind;
  readonly items: readonly Diagnostic[];
  readonly isOpen?: boolean | null;
  /** Whether somebody has spoken since the document was opened or changed. Who finds nothing may say nothing. */
  readonly isCurrent?: boolean | null;
  readonly languageId?: string | null;
}

/** Of LSP's kinds the one that has the problems. */
export type ReportKind = "full";
