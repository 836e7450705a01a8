// The `zubi` program to start, or a message if it is missing.
import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { env, platform } from "node:process";
import * as vscode from "vscode";
import { withoutLinks } from "./failure.ts";

const NAME = platform === "win32" ? "zubi.exe" : "zubi";

/** A remedy, with its command. */
const REMEDIES: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  "Open Setting": ["workbench.action.openSettings", "zubi.server.path"],
  "Show Log": ["zubi.showLogs"],
  "How to Install": ["zubi.openWalkthrough"],
};

/** Finds the program: the setting's, else the bundled, else one on PATH; in an untrusted folder only the bundled. */
export function locate(extensionPath: string): string {
  const bundled = path.join(extensionPath, "server", NAME);
  // A package built on another system lacks the executable bit.
  if (isFile(bundled) && !isProgram(bundled)) chmodSync(bundled, 0o755);
  const { isTrusted } = vscode.workspace;
  const configured = vscode.workspace
    .getConfiguration("zubi")
    .get("server.path", "")
    .trim()
    .replace(/^~(?=[/\\])/, homedir());
  const onPath = (env["PATH"] ?? "").split(path.delimiter).map((directory) => path.join(directory, NAME));
  const program = (!isTrusted ? [bundled] : configured === "" ? [bundled, ...onPath] : [configured]).find(isProgram);
  if (program !== undefined) return program;
  if (!isTrusted)
    throw new Error(
      "no program zubi came with this extension, and no other is started in a folder that you do not trust; trust it",
    );
  if (configured === "") throw new Error("there is no program zubi, neither with this extension nor on the PATH");
  const reason = isFile(configured) ? "is not executable" : "is not a file";
  throw new Error(`${configured} ${reason}; the setting zubi.server.path names it`);
}

/** Reports why the server does not run properly, and offers remedies. */
export async function showProblem(problem: string): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(`zubi: ${withoutLinks(problem)}`, ...Object.keys(REMEDIES));
  const command = REMEDIES[chosen ?? ""];
  if (command) await vscode.commands.executeCommand(...command);
}

/** The folders of this window, as flags. */
export const folderFlags = (): string[] =>
  (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => ["--workspace", uri.fsPath]);

const isFile = (file: string): boolean =>
  path.isAbsolute(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}
