// The language model tools: what the manifest names is asked of the server, whose answer is passed on as it is.
import * as vscode from "vscode";
import type { Server } from "./client.ts";
import { failure } from "./failure.ts";
import { TOOLS_CALL, TOOLS_PREPARE, type ToolsCallParams, type ToolsCallResult, type ToolsPrepareResult } from "./protocol.ts";

/** What the tools need of the server. */
export type Asks = Pick<Server, "request">;

/** The part of `package.json` that is written from zubi's own list of tools. */
export interface Contributes {
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}

/** Registers every tool of the manifest; what is returned takes them back. */
export function register(server: Asks, { contributes: { languageModelTools: tools } }: Contributes): vscode.Disposable {
  return vscode.Disposable.from(...tools.map(({ name }) => vscode.lm.registerTool(name, languageModelTool(name, server))));
}

/** A tool as VS Code calls it. It never throws: a model can act on a text, and on nothing else. */
export function languageModelTool(name: string, server: Asks): vscode.LanguageModelTool<object> {
  // Names that could be anybody's have it before them; zubi itself knows them without.
  const id = name.replace(/^zubi_/, "");
  return {
    prepareInvocation: async ({ input: args }, token) => {
      // What is wrong is told by the call itself.
      const prepared = await server.request<ToolsPrepareResult>(TOOLS_PREPARE, { id, args }, token).catch(() => undefined);
      if (prepared === undefined) return undefined;
      const { message, confirmation: asks } = prepared;
      const confirmationMessages = asks && { title: asks.title, message: new vscode.MarkdownString(asks.message) };
      return { invocationMessage: new vscode.MarkdownString(message), ...(asks && { confirmationMessages }) };
    },
    invoke: async ({ input: args, tokenizationOptions }, token) => {
      const budget = tokenizationOptions?.tokenBudget;
      // VS Code calls when whatever was to be confirmed has been.
      const params: ToolsCallParams = { id, args, confirmed: true, ...(budget !== undefined && { budget }) };
      const { text } = await server.request<ToolsCallResult>(TOOLS_CALL, params, token)
        .catch((error: unknown) => ({ text: failure(name, error) }));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}
