// Shared helpers of the cases: calling tools, waiting for conditions, positions in the workspace.
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, watch } from "node:fs";
import * as path from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { PROGRAM } from "../wire.ts";

/** One test. */
export interface Case {
  readonly name: string;
  readonly body: () => Promise<void>;
  /** Whether the case reloads the window. */
  readonly reloads?: boolean;
}

/** The text of a tool's answer. */
export async function callTool(tool: string, input: object, token?: vscode.CancellationToken): Promise<string> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined }, token);
  return result.content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      throw new Error(`${tool} answered something that is no text: ${JSON.stringify(part)}`);
    })
    .join("");
}

/** A tool's JSON answer, which must be on one line as the server sent it. */
export async function callToolForJson<Value>(tool: string, input: object): Promise<Value> {
  const text = await callTool(tool, input);
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

/** Waits until a condition holds, checked now and after each event; the time limit of the case ends the wait. */
export async function until(events: vscode.Event<unknown>, condition: () => boolean): Promise<void> {
  if (condition()) return;
  await new Promise<void>((resolve) => {
    const listener = events(() => {
      if (!condition()) return;
      listener.dispose();
      resolve();
    });
  });
}

/** Calls a method of the IPC protocol from another process and returns the response. */
export async function ipc(method: string, params: object = {}): Promise<string> {
  const server = env[PROGRAM] ?? "";
  const folder = file("").fsPath;
  const { stdout } = await promisify(execFile)(server, ["ipc", method, "--params", JSON.stringify(params)], { cwd: folder });
  return stdout;
}

/** A language model tool as the manifest declares it. */
export interface Declared {
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema?: { readonly type?: string };
  readonly tags?: readonly string[];
}

/** The language model tools of the manifest. */
export function declared(): readonly Declared[] {
  const manifest = vscode.extensions.getExtension("zubi.zubi")?.packageJSON as
    | { readonly contributes: { readonly languageModelTools: readonly Declared[] } }
    | undefined;
  return manifest?.contributes.languageModelTools ?? [];
}

/** The name of a zubi tool in the manifest; common ids have a prefix. */
export function named(id: string): string {
  return declared().some(({ name }) => name === id) ? id : `zubi_${id}`;
}

/** Waits until a file exists. */
export async function exists(file: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(path.dirname(file), check);
    check();
  });
}

/** Waits until a process has ended. No event reports that; a process stays listed until its parent reaps it. */
export async function waitForExit(pid: number): Promise<void> {
  const runs = (): boolean => {
    try {
      // The state follows the name, which is in parentheses.
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch (error) {
      assert.match(String((error as NodeJS.ErrnoException).code), /^(ENOENT|ESRCH)$/);
      return false;
    }
  };
  // The time limit of the case ends the loop.
  while (runs()) await new Promise((resolve) => setTimeout(resolve, 10));
}
