// The commands of the palette, which are those of the menu in the status bar.
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { NOT_RUNNING, type Server } from "./client.ts";
import { message } from "./failure.ts";
import { folderFlags } from "./program.ts";
import { TOOLS_CALL, TOOLS_LIST, type ToolsCallResult, type ToolSpec, type ToolsListResult } from "./protocol.ts";

const MENU = "zubi.showMenu";

/** The shapes of MCP configuration files, and who reads them. */
const SHAPES = [{ label: "mcpServers", description: "most agents" }, { label: "servers", description: ".vscode/mcp.json" }];

/** What an argument is before anybody has said what. */
const EMPTY: Readonly<Record<string, unknown>> = { array: [], boolean: false, integer: 0, number: 0, object: {} };

/** Of `package.json`, what the menu shows. */
export interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly title: string; readonly icon: string }[] };
}

export function registerCommands(server: Server, { contributes }: Manifest): vscode.Disposable {
  const execute = vscode.commands.executeCommand;
  const commands: Readonly<Record<string, () => unknown>> = {
    "zubi.restart": () => server.restart(),
    "zubi.showLogs": () => { server.log.show(); },
    "zubi.openSettings": () => execute("workbench.action.openSettings", "@ext:zubi.zubi"),
    "zubi.openWalkthrough": () => execute("workbench.action.openWalkthrough", "zubi.zubi#zubi.start"),
    [MENU]: async () => {
      const listed = contributes.commands.filter(({ command }) => command !== MENU);
      const items = listed.map(({ command, title, icon }) => ({ label: `${icon} ${title}`, command }));
      const chosen = await vscode.window.showQuickPick(items, { title: "zubi" });
      if (chosen) await execute(chosen.command);
    },
    "zubi.copyMcpConfiguration": async () => {
      const chosen = await vscode.window.showQuickPick(SHAPES, { title: "Which configuration is it for?" });
      const zubi = { command: server.program ?? "zubi", args: [...folderFlags(), "mcp"] };
      if (chosen) await vscode.env.clipboard.writeText(JSON.stringify({ [chosen.label]: { zubi } }, null, 2));
    },
    "zubi.tools.list": async () => {
      const tool = await pickTool(server);
      if (tool) await show(`# ${tool.id}: ${tool.title}\n\n${tool.description}\n\n${JSON.stringify(tool.inputSchema, null, 2)}\n`);
    },
    "zubi.tools.run": async () => {
      const tool = await pickTool(server);
      if (!tool) return;
      const args = await vscode.window.showInputBox({
        title: tool.id, prompt: "The arguments as JSON", value: skeleton(tool.inputSchema), ignoreFocusOut: true, validateInput: notJson,
      });
      if (args === undefined) return;
      const { text } = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: tool.title, cancellable: true },
        (_progress, token) => server.request<ToolsCallResult>(TOOLS_CALL, { id: tool.id, args: JSON.parse(args) as unknown }, token),
      );
      await show(text);
    },
    "zubi.tools.createConfig": async () => {
      // Where there is a file already nothing is written, and it is opened.
      await run("tools", "init");
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, ".vscode/agent-tools.json"));
    },
    "zubi.tools.testAtCursor": async () => {
      const editor = vscode.window.activeTextEditor;
      if (!(await editor?.document.save())) return;
      await run("tools", "check", "--test", `${editor?.document.uri.fsPath ?? ""}:${(editor?.selection.active.line ?? 0) + 1}`);
      server.log.show(true);
    },
  };

  /** Logs what the program says to this, whatever its exit code. */
  const run = (...args: readonly string[]): Promise<void> => new Promise((resolve) => {
    if (server.program === undefined) throw new Error(NOT_RUNNING);
    execFile(server.program, [...folderFlags(), ...args], (_error, stdout, stderr) => {
      server.log.info(`zubi ${args.join(" ")}\n${stdout}${stderr}`);
      resolve();
    });
  });
  const tell = (error: unknown): void => {
    if (!(error instanceof vscode.CancellationError)) void vscode.window.showErrorMessage(`zubi: ${message(error)}`);
  };
  return vscode.Disposable.from(...Object.entries(commands).map(([command, body]) =>
    vscode.commands.registerCommand(command, () => Promise.resolve().then(body).catch(tell))));
}

/** One of the tools, which are shown by where they come from. */
async function pickTool(server: Pick<Server, "request">): Promise<ToolSpec | undefined> {
  const { tools } = await server.request<ToolsListResult>(TOOLS_LIST, null, new vscode.CancellationTokenSource().token);
  const items = [...tools].sort((a, b) => a.toolset.localeCompare(b.toolset)).flatMap((tool, at, all) => [
    ...(tool.toolset === all[at - 1]?.toolset ? [] : [{ label: tool.toolset, kind: vscode.QuickPickItemKind.Separator }]),
    { label: tool.id, description: tool.title, detail: tool.description, tool },
  ]);
  const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { tool?: ToolSpec }>(items, { title: "Tools of zubi", matchOnDetail: true });
  return chosen?.tool;
}

/** The arguments that a tool needs, as JSON on one line. */
export function skeleton({ required = [], properties = {} }: { required?: string[]; properties?: Record<string, { type?: string }> }): string {
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, EMPTY[properties[name]?.type ?? ""] ?? ""])));
}

function notJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return message(error);
  }
}

async function show(content: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: "markdown" }));
}
