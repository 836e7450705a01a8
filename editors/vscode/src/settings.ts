// Settings of the editor, for `zubi lsp`.
import * as vscode from "vscode";
import type { EditorConfigParams, EditorConfigResult } from "./protocol.ts";

/** Answers `EDITOR_CONFIG`: reads a setting, after writing it when there is a value. */
export async function answerConfig({ key, scope, value }: EditorConfigParams): Promise<EditorConfigResult> {
  const target = {
    user: vscode.ConfigurationTarget.Global,
    workspace: vscode.ConfigurationTarget.Workspace,
    folder: vscode.ConfigurationTarget.WorkspaceFolder,
  }[scope ?? "workspace"];
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? null;
  if (value !== undefined) await vscode.workspace.getConfiguration(undefined, folder).update(key, value ?? undefined, target);
  const settings = vscode.workspace.getConfiguration(undefined, folder);
  const found = settings.inspect<unknown>(key);
  return {
    key,
    value: settings.get<unknown>(key) ?? null,
    default: found?.defaultValue ?? null,
    user: found?.globalValue ?? null,
    workspace: found?.workspaceValue ?? null,
    folder: found?.workspaceFolderValue ?? null,
  };
}
