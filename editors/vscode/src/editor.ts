// The editor as an endpoint: what `zubi lsp` can ask of it, one row for each method.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type DefinitionParams, ErrorCodes, type LocationLink, ResponseError } from "vscode-languageserver-protocol";
import { asLocationLinks } from "./conversions.ts";
import { whenAwake } from "./readiness.ts";
import {
  type ChannelOptions,
  EDITOR_COMMAND,
  EDITOR_CONFIG,
  EDITOR_PROTOCOL,
  EDITOR_REQUEST,
  type EditorCommandParams,
  type EditorConfigParams,
  type EditorConfigResult,
  type EditorRequestParams,
} from "./protocol.ts";

type Answer = (client: LanguageClient, params: unknown, token: vscode.CancellationToken) => Promise<unknown>;

/** LSP's method to the editor's own command. Parameters and results are LSP's. */
const METHODS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["textDocument/definition", (client, params, token) => definition(client, params as DefinitionParams, token)],
]);

/** What the server is told of the editor when it starts. */
export function channelOptions(): ChannelOptions {
  return {
    editorProtocol: EDITOR_PROTOCOL,
    editorMethods: [...METHODS.keys()],
    headlessFallback: vscode.workspace.getConfiguration("zubi").get("headlessFallback", false),
  };
}

/** Makes a client answer what the server asks of the editor. */
export function attach(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(EDITOR_REQUEST, ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
      const answer = METHODS.get(method);
      if (answer === undefined) {
        throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      }
      return answer(client, params, token);
    }),
    client.onRequest(EDITOR_COMMAND, async ({ command, args = [] }: EditorCommandParams): Promise<unknown> => {
      const result: unknown = await vscode.commands.executeCommand(command, ...args);
      return result ?? null;
    }),
    client.onRequest(EDITOR_CONFIG, config),
  );
}

async function definition(
  client: LanguageClient,
  params: DefinitionParams,
  token: vscode.CancellationToken,
): Promise<LocationLink[]> {
  const uri = client.protocol2CodeConverter.asUri(params.textDocument.uri);
  const position = client.protocol2CodeConverter.asPosition(params.position);
  const found = await whenAwake(uri, token, async () => {
    await fence(uri, position);
    return execute<Definition>("vscode.executeDefinitionProvider", uri, position);
  });
  return asLocationLinks(client.code2ProtocolConverter, found);
}

/**
 * Waits for the language's own server. While TypeScript loads a project, a second server that knows only the one file
 * answers definitions (with the import instead of what is imported), but not questions about types: those wait.
 */
async function fence(uri: vscode.Uri, position: vscode.Position): Promise<void> {
  // What it answers does not matter, nor whether it can.
  await execute("vscode.executeTypeDefinitionProvider", uri, position).catch(() => undefined);
}

type Definition = vscode.Location | vscode.LocationLink;

/** Runs one of the editor's own commands that answer with a list, or with nothing instead of an empty one. */
async function execute<Item>(command: string, ...args: readonly unknown[]): Promise<readonly Item[]> {
  return (await vscode.commands.executeCommand<readonly Item[] | undefined>(command, ...args)) ?? [];
}

async function config({ key, scope, value }: EditorConfigParams): Promise<EditorConfigResult> {
  const settings = vscode.workspace.getConfiguration();
  if (value !== undefined) await settings.update(key, value, scope === "user");
  return { key, value: vscode.workspace.getConfiguration().get<unknown>(key) ?? null };
}
