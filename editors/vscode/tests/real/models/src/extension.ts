// A scripted language model, the only part of these tests that cannot be real.
import * as vscode from "vscode";

/** One answer. A waiting model sends nothing more until it is cancelled; a holding one sends nothing before that. */
export interface Answer {
  readonly delay?: Promise<void>;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
  readonly waits?: boolean;
  readonly fails?: { readonly name: string; readonly message: string };
}

/** The request to a model. */
export interface Request {
  readonly messages: readonly { readonly role: number; readonly parts: readonly Part[] }[];
  readonly tools: readonly string[];
}

type Part = Readonly<{ text?: string; call?: string; outcome?: string }>;

/** The extension's exports for tests. */
export interface Script {
  /** The next answers, in order. */
  readonly answers: Answer[];
  readonly requests: Request[];
  /** Fires when a waiting model receives a request, and when the request is cancelled. */
  readonly events: vscode.Event<"waits" | "cancelled">;
}

interface Information {
  readonly id: string;
}

/** The part of the API that is newer than the types. */
interface Providers {
  registerLanguageModelChatProvider(vendor: string, provider: {
    provideLanguageModelChatInformation(): object[];
    provideLanguageModelChatResponse(
      model: Information,
      messages: readonly vscode.LanguageModelChatMessage[],
      options: { readonly tools?: readonly vscode.LanguageModelChatTool[] },
      progress: vscode.Progress<unknown>,
      token: vscode.CancellationToken,
    ): Promise<void>;
    provideTokenCount(): Promise<number>;
  }): vscode.Disposable;
}

export function activate(context: vscode.ExtensionContext): Script {
  const events = new vscode.EventEmitter<"waits" | "cancelled">();
  const script = { answers: [] as Answer[], requests: [] as Request[], events: events.event };
  let calls = 0;
  const information = (id: string): object => ({
    id, name: id, family: id, version: "1", maxInputTokens: 100_000, maxOutputTokens: 4000, isUserSelectable: true, capabilities: { toolCalling: true },
  });
  context.subscriptions.push((vscode.lm as unknown as Providers).registerLanguageModelChatProvider("zubi-tests", {
    provideLanguageModelChatInformation: () => [information("scripted"), information("gpt-4o")],
    provideLanguageModelChatResponse: async (_, messages, { tools = [] }, progress, token) => {
      script.requests.push({ messages: messages.map(({ role, content }) => ({ role, parts: content.map(partOf) })), tools: tools.map(({ name }) => name) });
      const { text = "", calls: wanted = [], waits, fails, delay } = script.answers.shift() ?? { fails: { name: "Error", message: "the script is over" } };
      await delay;
      if (fails) throw Object.assign(new Error(fails.message), { name: fails.name });
      for (const word of text.split(/(?<= )/)) progress.report(new vscode.LanguageModelTextPart(word));
      if (waits === true) {
        const cancelled = new Promise<void>((resolve) => token.onCancellationRequested(() => { resolve(); }));
        events.fire("waits");
        await cancelled;
        events.fire("cancelled");
      }
      for (const { name, input } of wanted) progress.report(new vscode.LanguageModelToolCallPart(`call-${(calls += 1)}`, name, input));
    },
    provideTokenCount: () => Promise.resolve(1),
  }));
  return script;
}

function partOf(part: unknown): Part {
  if (part instanceof vscode.LanguageModelTextPart) return { text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) return { call: part.name };
  if (!(part instanceof vscode.LanguageModelToolResultPart)) return {};
  return { outcome: part.content.map((piece) => (piece instanceof vscode.LanguageModelTextPart ? piece.value : "")).join("") };
}
