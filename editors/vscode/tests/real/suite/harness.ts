// What the cases share: calling tools, waiting for conditions, places in the workspace.
import { execFile } from "node:child_process";
import { env } from "node:process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { PROGRAM } from "../wire.ts";

/** One test. */
export interface Case {
  readonly name: string;
  readonly body: () => Promise<void>;
  /** Whether the window is loaded anew after it. */
  readonly reloads?: boolean;
}

/** The text that a tool answered. */
export async function ask(tool: string, input: object, token?: vscode.CancellationToken): Promise<string> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined }, token);
  return result.content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      throw new Error(`${tool} answered something that is no text: ${JSON.stringify(part)}`);
    })
    .join("");
}

/** The value that a tool answered as JSON, which has to be on one line as the server gave it. */
export async function askJson<Value>(tool: string, input: object): Promise<Value> {
  const text = await ask(tool, input);
  let value;
  try {
    value = JSON.parse(text) as Value;
  } catch {
    throw new Error(`${tool} answered no JSON: ${text}`);
  }
  if (JSON.stringify(value) !== text) throw new Error(`${tool} did not answer compact JSON: ${text}`);
  return value;
}

/** A file of the workspace. */
export function file(relative: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error("no folder is open");
  return vscode.Uri.joinPath(folder.uri, relative);
}

/** Waits until a condition holds. It is looked at now and after each of the events; the case's own limit ends the wait. */
export async function until(events: vscode.Event<unknown>, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const listener = events(() => {
      if (!holds()) return;
      listener.dispose();
      resolve();
    });
  });
}

/** What a method of the IPC protocol answers to another process. */
export async function ipc(method: string, params: object = {}): Promise<string> {
  const server = env[PROGRAM] ?? "";
  const folder = file("").fsPath;
  const { stdout } = await promisify(execFile)(server, ["ipc", method, "--params", JSON.stringify(params)], { cwd: folder });
  return stdout;
}
