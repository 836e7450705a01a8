// The stub of the module `vscode` in unit tests: the classes whose values the extension creates or distinguishes.
import manifest from "../../package.json" with { type: "json" };

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position, end: Position) {
    this.start = start;
    this.end = end;
  }
}

export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: readonly unknown[];
  constructor(callId: string, content: readonly unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 } as const;

export class LanguageModelChatMessage {
  readonly role: number;
  readonly content: readonly unknown[];
  constructor(role: number, content: readonly unknown[]) {
    this.role = role;
    this.content = content;
  }
}

export class LanguageModelError extends Error {
  static NotFound(message: string): LanguageModelError {
    return new LanguageModelError(message, "NotFound");
  }
  readonly code: string;
  constructor(message: string, code: string, cause?: Error) {
    super(message, { cause });
    this.code = code;
  }
}

/** A model of an extension, and its answers. */
export interface ChatModel {
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  readonly maxInputTokens: number;
  sendRequest(messages: readonly LanguageModelChatMessage[], options: object, token: unknown): Promise<{ stream: AsyncIterable<unknown> }>;
}

export const chatModels: ChatModel[] = [];

export class LanguageModelToolResult {
  readonly content: readonly unknown[];
  constructor(content: readonly unknown[]) {
    this.content = content;
  }
}

export class MarkdownString {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class Disposable {
  static from(...parts: readonly { dispose(): void }[]): Disposable {
    return new Disposable(() => { for (const part of parts) part.dispose(); });
  }
  readonly dispose: () => void;
  /** Calls the listener once, as the editor does. */
  constructor(dispose?: () => void) {
    this.dispose = () => {
      const once = dispose;
      dispose = undefined;
      once?.();
    };
  }
}

/** An event that a test fires. */
export class EventEmitter<Value> {
  readonly #listeners = new Set<(value: Value) => void>();
  readonly event = (listener: (value: Value) => void): Disposable => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  fire(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

/** A document, with the fields that the extension reads. */
export interface Document {
  readonly uri: { readonly scheme: string; toString(): string };
  languageId: string;
  isDirty: boolean;
  isClosed: boolean;
  lineCount: number;
  version: number;
  text: string;
  getText(): string;
  save(): Promise<boolean>;
}

/** A document of this path. */
export function document(path: string, scheme = "file"): Document {
  return {
    uri: { scheme, toString: () => `${scheme}://${path}` },
    languageId: "toy",
    isDirty: false,
    isClosed: false,
    lineCount: 3,
    version: 1,
    text: "",
    getText(): string { return this.text; },
    save(): Promise<boolean> {
      this.isDirty = false;
      return Promise.resolve(true);
    },
  };
}

/** The events of the editor. */
export const events = {
  active: new EventEmitter<unknown>(),
  selection: new EventEmitter<unknown>(),
  visible: new EventEmitter<readonly { document: Document }[]>(),
  opened: new EventEmitter<Document>(),
  changed: new EventEmitter<{ document: Document; contentChanges: readonly unknown[]; reason?: number }>(),
  saved: new EventEmitter<Document>(),
  closed: new EventEmitter<Document>(),
  diagnosed: new EventEmitter<{ uris: readonly Document["uri"][] }>(),
};

/** The open documents, and the shown diagnostics, by URI. */
export const documents: Document[] = [];
export const problems = new Map<string, { uri: Document["uri"]; items: unknown[] }>();

export const languages = {
  onDidChangeDiagnostics: events.diagnosed.event,
  getDiagnostics: (uri?: Document["uri"]): unknown =>
    uri === undefined
      ? [...problems.values()].map((entry) => [entry.uri, entry.items])
      : (problems.get(uri.toString())?.items ?? []),
};

/** The registered tools, by name. */
export const registered = new Map<string, unknown>();

export const lm = {
  registerTool(name: string, tool: unknown): Disposable {
    registered.set(name, tool);
    return new Disposable(() => registered.delete(name));
  },
  selectChatModels: ({ id, vendor }: { id?: string; vendor?: string } = {}): Promise<ChatModel[]> =>
    Promise.resolve(chatModels.filter((model) => [model.id, undefined].includes(id) && [model.vendor, undefined].includes(vendor))),
  registerMcpServerDefinitionProvider: (name: string, provider: unknown): Disposable => lm.registerTool(`mcp ${name}`, provider),
};

/** An MCP server as the extension announces it. */
export class McpStdioServerDefinition {
  readonly parameters: readonly unknown[];
  constructor(...parameters: readonly unknown[]) {
    this.parameters = parameters;
  }
}

/** The settings of the workspace, and those of the user, by their keys. */
export const settings = new Map<string, unknown>();
export const userSettings = new Map<string, unknown>();

const defaults: Readonly<Record<string, { readonly default: unknown }>> = manifest.contributes.configuration.properties;

/** VS Code's numbers. */
export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 } as const;
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 } as const;

/** The effect of an edit, and the files on disk, by URI. */
export const edits = { apply: (edit: unknown): Promise<boolean> => Promise.resolve(edit !== undefined), disk: new Map<string, string>() };

export class RelativePattern {
  readonly pattern = "";
}

export const Uri = {
  parse: (uri: string): object => ({ scheme: "file", toString: () => uri }),
  joinPath: (uri: Document["uri"], path: string): object => Uri.parse(`${uri.toString()}/${path}`),
};

export const workspace = {
  workspaceFolders: undefined as readonly { readonly uri: { readonly fsPath: string } }[] | undefined,
  textDocuments: documents,
  onDidOpenTextDocument: events.opened.event,
  onDidChangeTextDocument: events.changed.event,
  onDidSaveTextDocument: events.saved.event,
  onDidCloseTextDocument: events.closed.event,
  /** Opens a document; its language is its URI. */
  openTextDocument: (uri: unknown): Promise<object> => {
    if (typeof uri === "object" && uri !== null && "content" in uri) return Promise.resolve(uri);
    const { scheme } = uri as Document["uri"];
    if (scheme === "file" && documents.every((open) => open.uri !== uri)) {
      const opened = { ...document(""), uri: uri as Document["uri"] };
      documents.push(opened);
      events.opened.fire(opened);
    }
    return Promise.resolve({ languageId: String(uri) });
  },
  isTrusted: true,
  /** Applies an edit; the test decides the effect. */
  applyEdit: (edit: unknown): Promise<boolean> => edits.apply(edit),
  findFiles: (): Promise<unknown[]> => Promise.reject(new Error("no folder")),
  fs: {
    readFile: (uri: Document["uri"]): Promise<Uint8Array> => {
      const text = edits.disk.get(uri.toString());
      return text === undefined ? Promise.reject(new Error("not found")) : Promise.resolve(new TextEncoder().encode(text));
    },
  },
  getConfiguration: (section?: string) => {
    const whole = (key: string): string => (section === undefined ? key : `${section}.${key}`);
    return {
      get: (key: string, otherwise?: unknown): unknown =>
        settings.get(whole(key)) ?? userSettings.get(whole(key)) ?? otherwise ?? defaults[whole(key)]?.default,
      inspect: (key: string): object => ({ workspaceValue: settings.get(whole(key)), globalValue: userSettings.get(whole(key)) }),
      update: (key: string, value: unknown, target: number): Promise<void> => {
        (target === ConfigurationTarget.Global ? userSettings : settings).set(whole(key), value);
        return Promise.resolve();
      },
    };
  },
};

/** The result of each editor command; other commands do not exist. */
export const commandResults = new Map<string, (...args: unknown[]) => unknown>();

export const commands = {
  registerCommand: (command: string, run: () => unknown): Disposable => {
    commandResults.set(command, run);
    return new Disposable(() => commandResults.delete(command));
  },
  executeCommand: (command: string, ...args: unknown[]): Promise<unknown> => {
    const result = commandResults.get(command);
    if (result === undefined) return Promise.reject(new Error(`command '${command}' not found`));
    return Promise.resolve(result(...args));
  },
};

export class CancellationError extends Error {}

/** The shown errors, the newest last, and the user's choice. */
export const shownErrors: string[] = [];
export const answer: { button?: string } = {};

/** The user's actions: items chosen by their label, typed text, copied text, awaited progress, shown documents. */
export const user = {
  offered: [] as string[],
  chooses: undefined as string | undefined,
  types: undefined as ((offered: string) => string) | undefined,
  copied: "",
  awaits: "",
  shown: [] as string[],
};

interface Item {
  readonly label: string;
}

export const QuickPickItemKind = { Separator: -1 } as const;
export const ProgressLocation = { Notification: 15 } as const;
export const StatusBarAlignment = { Right: 2 } as const;

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable(() => undefined) };
}

export const env = {
  clipboard: {
    writeText: (text: string): Promise<void> => {
      user.copied = text;
      return Promise.resolve();
    },
  },
};

/** The items of the status bar. */
export const statusItems: { text?: string; tooltip?: string; command?: string }[] = [];

export const window = {
  activeTextEditor: undefined as { document: Document; selection: { active: Position } } | undefined,
  /** The tabs show these documents. */
  tabGroups: { all: [{ tabs: [] as { input: { uri: Document["uri"] } }[] }] },
  onDidChangeActiveTextEditor: events.active.event,
  onDidChangeTextEditorSelection: events.selection.event,
  onDidChangeVisibleTextEditors: events.visible.event,
  createOutputChannel: (): object => ({ info: () => undefined, debug: () => undefined, error: () => undefined }),
  createStatusBarItem: (): object => {
    const item = { text: "", show: () => undefined, dispose: () => undefined };
    statusItems.push(item);
    return item;
  },
  showInformationMessage: (text: string): Promise<string | undefined> => {
    shownErrors.push(text);
    return Promise.resolve(answer.button);
  },
  showErrorMessage: (text: string): Promise<string | undefined> => {
    shownErrors.push(text);
    return Promise.resolve(answer.button);
  },
  /** Returns the item whose title is `answer.button`. */
  showWarningMessage: (text: string, { detail }: { detail: string }, ...items: { title: string }[]): Promise<unknown> => {
    shownErrors.push(`${text}\n${detail}`);
    return Promise.resolve(items.find(({ title }) => title === answer.button));
  },
  showQuickPick: (items: readonly Item[]): Promise<Item | undefined> => {
    user.offered = items.map(({ label }) => label);
    return Promise.resolve(items.find(({ label }) => label === user.chooses));
  },
  showInputBox: ({ value }: { readonly value: string }): Promise<string | undefined> => Promise.resolve(user.types?.(value)),
  withProgress: ({ title }: { readonly title: string }, task: (progress: unknown, token: unknown) => unknown): Promise<unknown> => {
    user.awaits = title;
    return Promise.resolve(task(undefined, new CancellationTokenSource().token));
  },
  showTextDocument: (entry: unknown): Promise<void> => {
    user.shown.push((entry as { content?: string }).content ?? String(entry));
    return Promise.resolve();
  },
};
