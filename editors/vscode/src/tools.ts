// The language model tools of the manifest: each request goes to the server, whose answer is returned unchanged.
import * as vscode from "vscode";
import type { Server } from "./client.ts";
import { failure } from "./failure.ts";
import {
  TOOLS_CALL,
  TOOLS_PREPARE,
  type ToolsCallParams,
  type ToolsCallResult,
  type ToolsPrepareResult,
} from "./protocol.ts";

/** The part of the server that the tools need. */
export type Asks = Pick<Server, "request">;

/** The part of `package.json` that is written from zubi's own list of tools. */
export interface Contributes {
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}

/** Registers every tool of the manifest; what is returned takes them back. */
export function register(server: Asks, { contributes: { languageModelTools: tools } }: Contributes): vscode.Disposable {
  return vscode.Disposable.from(
    ...tools.map(({ name }) => vscode.lm.registerTool(name, languageModelTool(name, server))),
  );
}

/** A tool as VS Code calls it. It never throws: a model can act on a text, and on nothing else. */
export function languageModelTool(name: string, server: Asks): vscode.LanguageModelTool<object> {
  // Names that could be anybody's have it before them; zubi itself knows them without.
  const id = name.replace(/^zubi_/, "");
  return {
    prepareInvocation: async ({ input: args }, token) => {
      // The call itself reports errors.
      const prepared = await server
        .request<ToolsPrepareResult>(TOOLS_PREPARE, { id, args }, token)
        .catch(() => undefined);
      if (prepared === undefined) return undefined;
      const { message, confirmation: asks } = prepared;
      const confirmationMessages = asks && { title: asks.title, message: new vscode.MarkdownString(asks.message) };
      return { invocationMessage: new vscode.MarkdownString(message), ...(asks && { confirmationMessages }) };
    },
    invoke: async ({ input: args, tokenizationOptions }, token) => {
      const budget = tokenizationOptions?.tokenBudget;
      // VS Code calls the tool after the user has confirmed.
      const params: ToolsCallParams = { id, args, confirmed: true, ...(budget !== undefined && { budget }) };
      const { text } = await server
        .request<ToolsCallResult>(TOOLS_CALL, params, token)
        .catch((error: unknown) => ({ text: failure(name, error) }));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}
