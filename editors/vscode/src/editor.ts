// The editor as an endpoint: what `zubi lsp` can ask of it, one row for each method.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type DefinitionParams, ErrorCodes, type LocationLink, ResponseError } from "vscode-languageserver-protocol";
import { asLocationLinks } from "./conversions.ts";
import {
  EDITOR_COMMAND,
  EDITOR_CONFIG,
  EDITOR_REQUEST,
  type EditorCommandParams,
  type EditorConfigParams,
  type EditorConfigResult,
  type EditorRequestParams,
} from "./protocol.ts";

type Answer = (client: LanguageClient, params: unknown) => Promise<unknown>;

/** LSP's method to the editor's own command. Parameters and results are LSP's. */
const METHODS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["textDocument/definition", (client, params) => definition(client, params as DefinitionParams)],
]);

/** Makes a client answer what the server asks of the editor. */
export function attach(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(EDITOR_REQUEST, ({ method, params }: EditorRequestParams) => {
      const answer = METHODS.get(method);
      if (answer === undefined) {
        throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      }
      return answer(client, params);
    }),
    client.onRequest(EDITOR_COMMAND, async ({ command, args = [] }: EditorCommandParams): Promise<unknown> => {
      const result: unknown = await vscode.commands.executeCommand(command, ...args);
      return result ?? null;
    }),
    client.onRequest(EDITOR_CONFIG, config),
  );
}

async function definition(client: LanguageClient, params: DefinitionParams): Promise<LocationLink[]> {
  const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[] | undefined>(
    "vscode.executeDefinitionProvider",
    client.protocol2CodeConverter.asUri(params.textDocument.uri),
    client.protocol2CodeConverter.asPosition(params.position),
  );
  return asLocationLinks(client.code2ProtocolConverter, found ?? []);
}

async function config({ key, scope, value }: EditorConfigParams): Promise<EditorConfigResult> {
  const settings = vscode.workspace.getConfiguration();
  if (value !== undefined) await settings.update(key, value, scope === "user");
  return { key, value: vscode.workspace.getConfiguration().get<unknown>(key) ?? null };
}
