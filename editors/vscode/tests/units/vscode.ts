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

/** What the tests of `readiness` decide: the language of a document. */
export const workspace = {
  openTextDocument: (uri: unknown): Promise<{ languageId: string }> => Promise.resolve({ languageId: String(uri) }),
};
