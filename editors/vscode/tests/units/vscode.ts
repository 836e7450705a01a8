// Stands for the module `vscode` in unit tests: the few classes whose values are made or told apart there.
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

export class LanguageModelToolResult {
  readonly content: readonly unknown[];
  constructor(content: readonly unknown[]) {
    this.content = content;
  }
}

export class Disposable {
  static from(...parts: readonly { dispose(): void }[]): Disposable {
    return new Disposable(() => { for (const part of parts) part.dispose(); });
  }
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
}

/** The tools that are registered now, by their names. */
export const registered = new Map<string, unknown>();

export const lm = {
  registerTool(name: string, tool: unknown): Disposable {
    registered.set(name, tool);
    return new Disposable(() => registered.delete(name));
  },
};

/** The settings by their keys, as the last update left them. */
export const settings = new Map<string, unknown>();

export const workspace = {
  /** A document's language is what its URI says. */
  openTextDocument: (uri: unknown): Promise<{ languageId: string }> => Promise.resolve({ languageId: String(uri) }),
  getConfiguration: (section?: string) => ({
    get: (key: string, otherwise?: unknown): unknown =>
      settings.get(section === undefined ? key : `${section}.${key}`) ?? otherwise,
    update: (key: string, value: unknown, global: boolean): Promise<void> => {
      settings.set(key, global ? `user: ${String(value)}` : value);
      return Promise.resolve();
    },
  }),
};

/** What each command of the editor returns; one that is not here does not exist. */
export const commandResults = new Map<string, (...args: unknown[]) => unknown>();

export const commands = {
  executeCommand: (command: string, ...args: unknown[]): Promise<unknown> => {
    const result = commandResults.get(command);
    if (result === undefined) return Promise.reject(new Error(`command '${command}' not found`));
    return Promise.resolve(result(...args));
  },
};

export class CancellationError extends Error {}

/** What was shown as an error, the newest last. */
export const shownErrors: string[] = [];

export const window = {
  createOutputChannel: (): object => ({ info: () => undefined, debug: () => undefined, error: () => undefined }),
  showErrorMessage: (text: string): Promise<undefined> => {
    shownErrors.push(text);
    return Promise.resolve(undefined);
  },
};
