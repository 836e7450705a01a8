// The commands of the palette.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Chat } from "./chat.ts";
import { NOT_RUNNING, type Server } from "./client.ts";
import { message, unlinked } from "./failure.ts";
import { folderFlags } from "./program.ts";
import { TOOLS_CALL, TOOLS_LIST, type ToolsCallResult, type ToolSpec, type ToolsListResult } from "./protocol.ts";

export function registerCommands(server: Server, chat: Pick<Chat, "wish" | "stop">): vscode.Disposable {
  const { executeCommand } = vscode.commands;
  const commands: Readonly<Record<string, () => unknown>> = {
    // The palette shows the commands that work now.
    "zubi.showMenu": () => executeCommand("workbench.action.quickOpen", ">zubi: "),
    "zubi.agent.start": () => chat.wish({ do: "focus" }),
    "zubi.agent.clear": () => chat.wish({ do: "new" }),
    "zubi.agent.abort": () => chat.stop(),
    "zubi.restart": () => server.restart(),
    "zubi.showLogs": () => {
      server.log.show();
    },
    "zubi.openSettings": () => executeCommand("workbench.action.openSettings", "@ext:zubi.zubi"),
    "zubi.openWalkthrough": () => executeCommand("workbench.action.openWalkthrough", "zubi.zubi#zubi.start"),
    "zubi.copyMcpConfiguration": async () => {
      // The readers of these forms: most agents; VS Code, in `.vscode/mcp.json`.
      const chosen = await vscode.window.showQuickPick(["mcpServers", "servers"].map((label) => ({ label })));
      const zubi = { command: server.program ?? "zubi", args: [...folderFlags(), "mcp"] };
      if (chosen) await vscode.env.clipboard.writeText(JSON.stringify({ [chosen.label]: { zubi } }, null, 2));
    },
    "zubi.tools.list": async () => {
      const tool = await pickTool(server);
      if (tool)
        await show(
          `# ${tool.id}: ${tool.title}\n\n${tool.description}\n\n\`\`\`json\n${JSON.stringify(tool.inputSchema, null, 2)}\n\`\`\`\n`,
        );
    },
    "zubi.tools.run": async () => {
      const tool = await pickTool(server);
      const value =
        tool &&
        JSON.stringify(
          Object.fromEntries(((tool.inputSchema as { required?: string[] }).required ?? []).map((name) => [name, ""])),
        );
      const typed =
        value &&
        (await vscode.window.showInputBox({
          title: tool.id,
          prompt: "The arguments as JSON",
          value,
          ignoreFocusOut: true,
        }));
      if (!typed) return;
      const params = { id: tool.id, args: JSON.parse(typed) as unknown };
      const options = {
        location: vscode.ProgressLocation.Notification,
        title: unlinked(tool.title),
        cancellable: true,
      };
      await show(
        (
          await vscode.window.withProgress(options, (_, token) =>
            server.request<ToolsCallResult>(TOOLS_CALL, params, token),
          )
        ).text,
      );
    },
    "zubi.tools.createConfig": async () => {
      // An existing file is opened and not overwritten.
      await run("tools", "init");
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, ".vscode/agent-tools.json"));
    },
    "zubi.tools.testAtCursor": async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor || !(await editor.document.save())) return;
      await run("tools", "check", "--test", `${editor.document.uri.fsPath}:${editor.selection.active.line + 1}`);
      server.log.show(true);
    },
  };
  /** Logs the program's output, whatever its exit code. A program that does not start has no output. */
  const run = async (...args: readonly string[]): Promise<void> => {
    if (server.program === undefined) throw new Error(NOT_RUNNING);
    const said = await promisify(execFile)(server.program, [...folderFlags(), ...args]).catch(
      (error: unknown) => error,
    );
    const { stdout, stderr } = said as { readonly stdout?: string; readonly stderr?: string };
    if (!stdout && !stderr && said instanceof Error) throw said;
    server.log.info(`zubi ${args.join(" ")}\n${stdout ?? ""}${stderr ?? ""}`);
  };
  const guarded = (body: () => unknown) => () =>
    Promise.resolve()
      .then(body)
      .catch((error: unknown) => {
        if (!(error instanceof vscode.CancellationError))
          void vscode.window.showErrorMessage(`zubi: ${unlinked(message(error))}`);
      });
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, body]) => vscode.commands.registerCommand(id, guarded(body))),
  );
}

/** Lets the user select a tool; tools are grouped by their origin. */
async function pickTool(server: Pick<Server, "request">): Promise<ToolSpec | undefined> {
  const { tools } = await server.request<ToolsListResult>(TOOLS_LIST, null);
  const items = [...tools]
    .sort((a, b) => a.toolset.localeCompare(b.toolset))
    .flatMap((tool, at, all) => [
      ...(tool.toolset === all[at - 1]?.toolset
        ? []
        : [{ label: tool.toolset, kind: vscode.QuickPickItemKind.Separator }]),
      { label: tool.id, description: tool.title, detail: tool.description, tool },
    ]);
  return (await vscode.window.showQuickPick<vscode.QuickPickItem & { tool?: ToolSpec }>(items, { matchOnDetail: true }))
    ?.tool;
}

const show = async (content: string): Promise<unknown> =>
  vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: "markdown" }));
