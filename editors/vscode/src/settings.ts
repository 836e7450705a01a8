// Settings of the editor, for `zubi lsp`.
import * as vscode from "vscode";
import type { EditorConfigParams, EditorConfigResult } from "./protocol.ts";

const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
const TARGETS = { user: Global, workspace: Workspace, folder: WorkspaceFolder };

/** Handles `EDITOR_CONFIG`: writes the value, if there is one, and then reads the setting. */
export async function handleConfig({
  key,
  scope = "workspace",
  value,
}: EditorConfigParams): Promise<EditorConfigResult> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? null;
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration(undefined, folder);
  if (value !== undefined) await settings().update(key, value ?? undefined, TARGETS[scope]);
  const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = settings().inspect<unknown>(key) ?? {};
  return {
    key,
    value: settings().get<unknown>(key) ?? null,
    default: defaultValue ?? null,
    user: globalValue ?? null,
    workspace: workspaceValue ?? null,
    folder: workspaceFolderValue ?? null,
  };
}
