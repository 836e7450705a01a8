/**
 * The API of the extension zubi for other extensions: their tools for zubi's agents, and zubi's tools for them.
 *
 * ```ts
 * const zubi = await vscode.extensions.getExtension<ZubiApi>("zubi.zubi")?.activate();
 * ```
 *
 * Copy this file, or take its types from the package of the extension (`api/zubi.d.ts`).
 */
import type {
  CancellationToken,
  Disposable,
  Event,
  Progress,
  TextEditor,
  WorkspaceFolder,
} from "vscode";

/** The API object that `activate` returns. */
export interface ZubiApi {
  /** Version of this interface: what has the same first number works with what was written for it. */
  readonly version: string;

  /**
   * Registers all tools of a provider. zubi reads them once, and again whenever the provider fires its change event. A
   * refused tool is reported in the log and in a message; the rest are registered.
   *
   * Disposing takes its tools back and calls the provider's own `dispose`.
   */
  registerToolProvider(provider: ToolProvider): Disposable;

  /**
   * Registers one tool. It is there for every agent that is connected to this window, until what is returned is disposed;
   * a server that is started again gets it again.
   *
   * @throws if the definition or the handler is invalid, or another tool of that id is registered in this window. Errors that only
   * the server can find (a reserved name, a schema that clients would reject) are reported in the log and in a
   * message.
   */
  registerTool(definition: ToolDefinition, handler: ToolHandler): Disposable;

  /** All tools that can be called in this window, zubi's own among them. */
  getTools(): Promise<ToolDefinition[]>;

  /**
   * Calls a tool by its id. The user's policy applies: the user may have to approve the call. It does not throw for
   * a tool that fails.
   */
  executeTool(toolId: string, args: Record<string, unknown>): Promise<ToolResult>;

  /**
   * Gives zubi's agent a task and returns its answer. Each run is a conversation of its own, which the user finds in zubi's
   * chat; several may run at once. A dialog requests approvals, unless a rule of the user decides.
   *
   * @param config holds for this run alone.
   * @param token stops the run, with the commands that it has started.
   * @throws if there is no answer: the model did not respond, a budget is spent, the user stopped it. The message says
   * why, with what was done until then; a run that was cancelled throws `vscode.CancellationError`.
   */
  runAgent(task: string, config?: AgentConfig, token?: CancellationToken): Promise<string>;

  /** A tool of any origin was added, or its description has changed. */
  readonly onDidRegisterTool: Event<ToolDefinition>;

  /** A tool has gone: its id. */
  readonly onDidUnregisterTool: Event<string>;
}

/** How one task is worked on. */
export interface AgentConfig {
  /** `provider/model` as `zubi agent models` lists them, or a model of the editor by its id or family. Default: the setting `zubi.model`. */
  model?: string;
  /** Goes in front of zubi's own instructions to the model. */
  systemPrompt?: string;
  /** The maximum number of model requests. Default: the setting `zubi.maxIterations`. */
  maxIterations?: number;
  /** Patterns of the tools that there are for this run (`file.*`, `!shell`). They narrow what the user's own filter leaves. */
  toolFilter?: string[];
  /**
   * Whether calls that require approval are approved automatically. Only the user can decide that: it applies if their own setting
   * `zubi.autoApprove` is on, and then there are no prompts anyway. Without that setting the user gets prompts, whatever this says.
   */
  autoApprove?: boolean;
}

/** The description of a tool. */
export interface ToolDefinition {
  /**
   * `namespace.name`, each of letters, digits, `_` and `-`, together at most 40 characters. Models see it with `_` for the
   * dot. Namespaces of zubi itself (`file`, `shell`, `workspace`, …) are taken.
   */
  id: string;
  /** For people. */
  name: string;
  /** For models: what comes back, and when to use it. At most 1,024 bytes, the first sentence within 300 characters. */
  description: string;
  /** JSON Schema of the arguments. They are checked before the tool is called. Every property has a description. */
  parameters: ToolParameters;
  /**
   * For tools that are registered here: `{ type: "function", handler: "namespace.name" }`, and what runs is the handler or
   * the provider. Tools of `.vscode/agent-tools.json` can call it by the name in `handler`.
   */
  execution: ToolExecution;
  metadata?: ToolMetadata;
}

/** JSON Schema of an object. */
export interface ToolParameters {
  type: "object";
  properties: Record<string, ToolParameterSchema>;
  required?: string[];
}

/** JSON Schema of one argument. */
export interface ToolParameterSchema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  items?: ToolParameterSchema;
  properties?: Record<string, ToolParameterSchema>;
  required?: string[];
  [keyword: string]: unknown;
}

export type ToolExecution =
  | { type: "function"; handler: string }
  | { type: "command"; command: string }
  | { type: "shell"; script: string; shell?: string }
  | { type: "http"; url: string; method?: string; headers?: Record<string, string> }
  | { type: "inline"; code: string };

export interface ToolMetadata {
  category?: string;
  icon?: string;
  /**
   * Whether each call requires approval. The user's policy decides; this is the default:
   *
   * - `true`: each call requires approval, unless a rule of the user names the tool;
   * - omitted: the effect decides; its default is `execute`, which requires approval;
   * - `false`: the tool is read-only (its effect is `read`) and needs no approval. Use it only for a tool that
   *   changes nothing, anywhere.
   */
  requiresApproval?: boolean;
  /** The strongest effect of a call. Default: `execute`, or `read` with `requiresApproval: false`. */
  effect?: "read" | "plan" | "write" | "execute" | "network";
  /** How long a call may take, in milliseconds. Default: one minute; at most ten. */
  timeout?: number;
  tags?: string[];
}

/** Runs a tool. The model receives an exception as the reason of the failure. */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => ToolResult | Promise<ToolResult>;

/** Several tools of one origin. */
export interface ToolProvider {
  readonly id: string;
  /** For people. */
  readonly name: string;
  getTools(): ToolDefinition[] | Promise<ToolDefinition[]>;
  /** Runs one of its tools. The model receives an exception as the reason of the failure. */
  executeTool(toolId: string, args: Record<string, unknown>, context: ToolContext): ToolResult | Promise<ToolResult>;
  /** Fired when `getTools` would answer differently. */
  readonly onDidChangeTools?: Event<unknown>;
  dispose?(): void;
}

/** The circumstances of a call. */
export interface ToolContext {
  /** The first folder that is open. */
  readonly workspaceFolder?: WorkspaceFolder;
  /** The editor that the user looks at. */
  readonly activeEditor?: TextEditor;
  /** Cancelled when the caller no longer waits for the result. */
  readonly cancellationToken: CancellationToken;
  /** Shown to the user; `increment` is in percent. */
  readonly progress: Progress<{ message?: string; increment?: number }>;
  /** Writes a line to zubi's log. */
  log(message: string): void;
}

/** How a call ended. */
export interface ToolResult {
  success: boolean;
  /** A text is shown to the model as it is, anything else as JSON. */
  data?: unknown;
  /** For a failure: the reason and a hint. */
  error?: string;
  /** Always there in what `executeTool` returns. */
  metadata?: {
    /** How long the call took, in milliseconds. */
    duration?: number;
    [name: string]: unknown;
  };
}
