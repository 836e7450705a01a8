// The editor as an endpoint: what `zubi lsp` can ask of it, one row for each method.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import {
  type DefinitionParams,
  ErrorCodes,
  type LocationLink,
  ResponseError,
  type TextDocumentIdentifier,
} from "vscode-languageserver-protocol";
import { asLocationLinks } from "./conversions.ts";
import { Problems } from "./diagnostics.ts";
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
import { OpenState } from "./state.ts";

type Answer = (asked: Asked, params: unknown, token: vscode.CancellationToken) => Promise<unknown>;

/** What an answer is made of. */
interface Asked {
  readonly client: LanguageClient;
  readonly problems: Problems;
}

/** Parameters that name a document and nothing else. */
interface DocumentParams {
  readonly textDocument: TextDocumentIdentifier;
}

/** An attached editor. */
export interface Attached {
  /** Tells the server what is open now, if it does not know. */
  flush(): Promise<void>;
  /** Detaches it. */
  dispose(): void;
}

/** LSP's method to the editor's own command. Parameters and results are LSP's. */
const METHODS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["textDocument/definition", ({ client }, params, token) => definition(client, params as DefinitionParams, token)],
  [
    "textDocument/diagnostic",
    ({ client, problems }, params) => Promise.resolve(problems.of(client, uriOf(client, params))),
  ],
  ["workspace/diagnostic", ({ client, problems }) => Promise.resolve(problems.all(client))],
  ["zubi/validate", ({ client, problems }, params, token) => problems.validate(client, uriOf(client, params), token)],
]);

/** Where the server looks for a free port by itself. */
const DEFAULT_PORT = 9847;

/** The command that starts the server anew. */
const RESTART = "zubi.restart";

/** What the server is told of the editor when it starts. */
export function channelOptions(): ChannelOptions {
  const settings = vscode.workspace.getConfiguration("zubi");
  const ipcPort = settings.get<number>("ipcPort", DEFAULT_PORT);
  return {
    editorProtocol: EDITOR_PROTOCOL,
    editorMethods: [...METHODS.keys()],
    headlessFallback: settings.get("headlessFallback", false),
    ...(ipcPort !== DEFAULT_PORT && { ipcPort }),
  };
}

/** Makes a client answer what the server asks of the editor. */
export function attach(client: LanguageClient): Attached {
  const problems = new Problems();
  const state = new OpenState((method, params) => client.sendNotification(method, params));
  const attached = vscode.Disposable.from(
    problems,
    state,
    client.onDidChangeState(() => {
      // Also when a server that has ended by itself was started again.
      if (client.isRunning()) void state.restart();
    }),
    vscode.commands.registerCommand("zubi.refreshViews", async () => {
      await state.restart();
      return true;
    }),
    client.onRequest(EDITOR_REQUEST, ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
      const answer = METHODS.get(method);
      if (answer === undefined) {
        throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
      }
      return answer({ client, problems }, params, token);
    }),
    client.onRequest(EDITOR_COMMAND, async ({ command, args = [] }: EditorCommandParams): Promise<unknown> => {
      if (command === RESTART) {
        // It ends the server that asks for it, which is to be answered before.
        setImmediate(() => void vscode.commands.executeCommand(command));
        return null;
      }
      const result: unknown = await vscode.commands.executeCommand(command, ...args);
      return result ?? null;
    }),
    client.onRequest(EDITOR_CONFIG, config),
  );
  return { flush: () => state.flush(), dispose: () => { attached.dispose(); } };
}

function uriOf(client: LanguageClient, params: unknown): vscode.Uri {
  return client.protocol2CodeConverter.asUri((params as DocumentParams).textDocument.uri);
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
