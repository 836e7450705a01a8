// The language model tools: each is a question to the language server, whose answer is passed on as it is.
import * as vscode from "vscode";
import { failure } from "./failure.ts";
import { TOOLS_CALL, type ToolsCallParams, type ToolsCallResult } from "./protocol.ts";

/** What the tools need of the server. */
export interface Asks {
  request<Result>(method: string, params: unknown, token: vscode.CancellationToken): Promise<Result>;
}

type Input = Readonly<Record<string, unknown>>;

interface Tool {
  /** As in `package.json`. */
  readonly name: string;
  /** What the user reads while it runs. */
  readonly progress: (input: Input) => string;
  /** The answer's text. */
  readonly ask: (server: Asks, input: Input, budget: number | undefined, token: vscode.CancellationToken) => Promise<string>;
}

/** Every tool, in the order of `package.json`. */
export const TOOLS: readonly Tool[] = [
  {
    name: "domainlang_validate",
    progress: ({ file }) => (file === undefined ? "Validating the DomainLang workspace" : `Validating ${shown(file)}`),
    ask: domainlang("domainlang/validate"),
  },
  {
    name: "domainlang_list",
    progress: ({ type }) => `Listing ${shown(type ?? "elements")}`,
    ask: domainlang("domainlang/list"),
  },
  {
    name: "domainlang_get",
    progress: ({ fqn }) => (fqn === undefined ? "Summarizing the DomainLang model" : `Looking up ${shown(fqn)}`),
    ask: domainlang("domainlang/get"),
  },
  {
    name: "domainlang_explain",
    progress: ({ fqn }) => `Explaining ${shown(fqn ?? "an element")}`,
    ask: domainlang("domainlang/explain"),
  },
  {
    name: "lsp_definition",
    progress: ({ symbol, at }) => `Looking for the definition of ${shown(symbol ?? at ?? "a symbol")}`,
    ask: zubi("lsp_definition"),
  },
];

/** Registers the tools; what is returned takes them back. */
export function register(server: Asks): vscode.Disposable {
  return vscode.Disposable.from(...TOOLS.map((tool) => vscode.lm.registerTool(tool.name, languageModelTool(tool, server))));
}

/** A tool as VS Code calls it. It never throws: a model can act on a text, and on nothing else. */
export function languageModelTool(tool: Tool, server: Asks): vscode.LanguageModelTool<object> {
  return {
    prepareInvocation: ({ input }) => ({ invocationMessage: tool.progress(input as Input) }),
    invoke: async ({ input, tokenizationOptions }, token) => {
      let text;
      try {
        text = await tool.ask(server, input as Input, tokenizationOptions?.tokenBudget, token);
      } catch (error) {
        text = failure(tool.name, error);
      }
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

/** A request of DomainLang's own: the input is its parameters and the text is its result, on one line as everywhere. */
function domainlang(method: string): Tool["ask"] {
  return async (server, input, _budget, token) => JSON.stringify(await server.request<unknown>(method, input, token));
}

/** A tool of zubi itself, whose answer already is a text. */
function zubi(id: string): Tool["ask"] {
  return async (server, args, budget, token) => {
    const params: ToolsCallParams = budget === undefined ? { id, args } : { id, args, budget };
    return (await server.request<ToolsCallResult>(TOOLS_CALL, params, token)).text;
  };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
