// Language support for Python, for the tests: pyright with an ordinary client.
import { env } from "node:process";
import type * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const run = { module: env["ZUBI_TEST_PYRIGHT"] ?? "", transport: TransportKind.stdio };
  client = new LanguageClient("python", "Python", run, { documentSelector: [{ language: "python" }] });
  context.subscriptions.push(client);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
