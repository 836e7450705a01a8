/**
 * What the extension zubi gives to other extensions: tools of theirs for its agents, and its tools for them.
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

/** What `activate` returns. */
export interface ZubiApi {
  /** Version of this interface: what has the same first number works with what was written for it. */
  readonly version: string;

  /**
   * Registers all tools of a provider. They are asked for once, and again whenever the provider says that they are others. A
   * tool that is refused is told in the log and in a message; the rest are registered.
   *
   * Disposing takes its tools back and calls the provider's own `dispose`.
   */
  registerToolProvider(provider: ToolProvider): Disposable;

  /**
   * Registers one tool. It is there for every agent that is connected to this window, until what is returned is disposed;
   * a server that is started again gets it again.
   *
   * @throws when the definition or the handler is none, or another tool of that id is registered in this window. What only
   * the server can know (a name that is one of its own, a schema that clients would not take) is told in the log and in a
   * message.
   */
  registerTool(definition: ToolDefinition, handler: ToolHandler): Disposable;

  /** All tools that can be called in this window, zubi's own among them. */
  getTools(): Promise<ToolDefinition[]>;

  /**
   * Calls a tool, by its id. The rules of the user's policy hold: where they ask, the user is asked. It does not throw for
   * a tool that fails.
   */
  executeTool(toolId: string, args: Record<string, unknown>): Promise<ToolResult>;

  /**
   * Gives zubi's agent a task and returns its answer. Each run is a conversation of its own, which the user finds in zubi's
   * chat; several may go on at once. What needs a yes is asked in a dialog, unless a rule of the user decides.
   *
   * @param config holds for this run alone.
   * @param token stops the run, with the commands that it has started.
   * @throws when there is no answer: the model could not be asked, a budget is spent, the user stopped it. The message says
   * why, with what was done until then; a run that was cancelled throws `vscode.CancellationError`.
   */
  runAgent(task: string, config?: AgentConfig, token?: CancellationToken): Promise<string>;

  /** A tool has come, of whomever; also when it says something else of itself than before. */
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
  /** How often the model is asked. Default: the setting `zubi.maxIterations`. */
  maxIterations?: number;
  /** Patterns of the tools that there are for this run (`file.*`, `!shell`). They narrow what the user's own filter leaves. */
  toolFilter?: string[];
  /**
   * Whether what would be asked is allowed without asking. Only the user can decide that: it counts if his own setting
   * `zubi.autoApprove` is on, and then nothing is asked anyway. Without that setting he is asked, whatever stands here.
   */
  autoApprove?: boolean;
}

/** What a tool says of itself. */
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
   * Whether the user is asked before each call. The user's policy decides; this is what it begins with:
   *
   * - `true`: each call is asked about, unless a rule of the user names the tool;
   * - left out: the effect decides, which then is `execute`, and running something asks;
   * - `false`: the tool only looks (its effect is `read`), and what looks is not asked about. Say so only of a tool that
   *   changes nothing, anywhere.
   */
  requiresApproval?: boolean;
  /** What a call can do at its worst. Default: `execute`, or `read` with `requiresApproval: false`. */
  effect?: "read" | "plan" | "write" | "execute" | "network";
  /** How long a call may take, in milliseconds. Default: one minute; at most ten. */
  timeout?: number;
  tags?: string[];
}

/** Runs a tool. What it throws is told to the model as the reason why the call failed. */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => ToolResult | Promise<ToolResult>;

/** Several tools of one origin. */
export interface ToolProvider {
  readonly id: string;
  /** For people. */
  readonly name: string;
  getTools(): ToolDefinition[] | Promise<ToolDefinition[]>;
  /** Runs one of its tools. What it throws is told to the model as the reason why the call failed. */
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
  /** Cancelled when nobody waits for the result any more. */
  readonly cancellationToken: CancellationToken;
  /** Shown to whoever waits; `increment` is in percent. */
  readonly progress: Progress<{ message?: string; increment?: number }>;
  /** Writes a line to zubi's log. */
  log(message: string): void;
}

/** How a call ended. */
export interface ToolResult {
  success: boolean;
  /** A text is shown to the model as it is, anything else as JSON. */
  data?: unknown;
  /** Of a failure: what went wrong, and what to do. */
  error?: string;
  /** Always there in what `executeTool` returns. */
  metadata?: {
    /** How long the call took, in milliseconds. */
    duration?: number;
    [name: string]: unknown;
  };
}
