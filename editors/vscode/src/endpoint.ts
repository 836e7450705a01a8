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
import { EDITOR_REQUEST, type EditorRequestParams } from "./protocol.ts";

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

/** LSP's method to the editor's own command. Parameters and results are LSP's. */
export const METHODS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["textDocument/definition", ({ client }, params, token) => definition(client, params as DefinitionParams, token)],
  [
    "textDocument/diagnostic",
    ({ client, problems }, params) => Promise.resolve(problems.of(client, uriOf(client, params))),
  ],
  ["workspace/diagnostic", ({ client, problems }) => Promise.resolve(problems.all(client))],
  ["zubi/validate", ({ client, problems }, params, token) => problems.validate(client, uriOf(client, params), token)],
]);

/** Answers `EDITOR_REQUEST` of a client. */
export class Endpoint implements vscode.Disposable {
  readonly #attached: vscode.Disposable;

  constructor(client: LanguageClient) {
    const problems = new Problems();
    const asked = client.onRequest(
      EDITOR_REQUEST,
      ({ method, params }: EditorRequestParams, token: vscode.CancellationToken) => {
        const answer = METHODS.get(method);
        if (answer === undefined) {
          throw new ResponseError(ErrorCodes.MethodNotFound, `the editor does not answer ${method}`);
        }
        return answer({ client, problems }, params, token);
      },
    );
    this.#attached = vscode.Disposable.from(problems, asked);
  }

  dispose(): void {
    this.#attached.dispose();
  }
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
