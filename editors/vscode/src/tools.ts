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
export type RequestSender = Pick<Server, "request">;

/** The part of `package.json` that is written from zubi's own list of tools. */
export interface Contributes {
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}

/** Registers every tool of the manifest; the returned object removes them. */
export function register(
  server: RequestSender,
  { contributes: { languageModelTools: tools } }: Contributes,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...tools.map(({ name }) => vscode.lm.registerTool(name, languageModelTool(name, server))),
  );
}

/** A tool as VS Code calls it. It never throws: a model can act only on a text. */
export function languageModelTool(name: string, server: RequestSender): vscode.LanguageModelTool<object> {
  // The manifest prefixes common names; zubi's own ids have no prefix.
  const id = name.replace(/^zubi_/, "");
  return {
    prepareInvocation: async ({ input: args }, token) => {
      // The call itself reports errors.
      const prepared = await server
        .request<ToolsPrepareResult>(TOOLS_PREPARE, { id, args }, token)
        .catch(() => undefined);
      if (prepared === undefined) return undefined;
      const { message, confirmation } = prepared;
      const confirmationMessages = confirmation && {
        title: confirmation.title,
        message: new vscode.MarkdownString(confirmation.message),
      };
      return { invocationMessage: new vscode.MarkdownString(message), ...(confirmation && { confirmationMessages }) };
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
