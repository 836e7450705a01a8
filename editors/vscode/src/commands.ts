// The commands of the palette.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Chat } from "./chat.ts";
import { NOT_RUNNING, type Server } from "./client.ts";
import { message, withoutLinks } from "./failure.ts";
import { folderFlags } from "./program.ts";
import { TOOLS_CALL, TOOLS_LIST, type ToolsCallResult, type ToolSpec, type ToolsListResult } from "./protocol.ts";

export function registerCommands(server: Server, chat: Pick<Chat, "execute" | "stop">): vscode.Disposable {
  const { executeCommand } = vscode.commands;
  const commands: Readonly<Record<string, () => unknown>> = {
    // The palette lists only the commands that work now.
    "zubi.showMenu": () => executeCommand("workbench.action.quickOpen", ">zubi: "),
    "zubi.agent.start": () => chat.execute({ do: "focus" }),
    "zubi.agent.clear": () => chat.execute({ do: "new" }),
    "zubi.agent.abort": () => chat.stop(),
    "zubi.restart": () => server.restart(),
    "zubi.showLogs": () => {
      server.log.show();
    },
    "zubi.openSettings": () => executeCommand("workbench.action.openSettings", "@ext:zubi.zubi"),
    "zubi.openWalkthrough": () => executeCommand("workbench.action.openWalkthrough", "zubi.zubi#zubi.start"),
    "zubi.copyMcpConfiguration": async () => {
      // Most agents read the first form; VS Code reads the second, in `.vscode/mcp.json`.
      const chosen = await vscode.window.showQuickPick(["mcpServers", "servers"].map((label) => ({ label })));
      const zubi = { command: server.program ?? "zubi", args: [...folderFlags(), "mcp"] };
      if (chosen) await vscode.env.clipboard.writeText(JSON.stringify({ [chosen.label]: { zubi } }, null, 2));
    },
    "zubi.tools.list": async () => {
      const tool = await pickTool(server);
      if (!tool) return;
      const schema = JSON.stringify(tool.inputSchema, null, 2);
      await showMarkdown(`# ${tool.id}: ${tool.title}\n\n${tool.description}\n\n\`\`\`json\n${schema}\n\`\`\`\n`);
    },
    "zubi.tools.run": async () => {
      const tool = await pickTool(server);
      if (!tool) return;
      const { required = [] } = tool.inputSchema as { required?: string[] };
      const input = await vscode.window.showInputBox({
        title: tool.id,
        prompt: "The arguments as JSON",
        value: JSON.stringify(Object.fromEntries(required.map((name) => [name, ""]))),
        ignoreFocusOut: true,
      });
      if (!input) return;
      const params = { id: tool.id, args: JSON.parse(input) as unknown };
      const options = {
        location: vscode.ProgressLocation.Notification,
        title: withoutLinks(tool.title),
        cancellable: true,
      };
      const result = await vscode.window.withProgress(options, (_, token) =>
        server.request<ToolsCallResult>(TOOLS_CALL, params, token),
      );
      await showMarkdown(result.text);
    },
    "zubi.tools.createConfig": async () => {
      // `init` does not overwrite an existing file, which then opens.
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
    const output = await promisify(execFile)(server.program, [...folderFlags(), ...args]).catch(
      (error: unknown) => error,
    );
    const { stdout, stderr } = output as { readonly stdout?: string; readonly stderr?: string };
    if (!stdout && !stderr && output instanceof Error) throw output;
    server.log.info(`zubi ${args.join(" ")}\n${stdout ?? ""}${stderr ?? ""}`);
  };
  const withErrorMessage = (body: () => unknown) => () =>
    Promise.resolve()
      .then(body)
      .catch((error: unknown) => {
        if (!(error instanceof vscode.CancellationError))
          void vscode.window.showErrorMessage(`zubi: ${withoutLinks(message(error))}`);
      });
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, body]) => vscode.commands.registerCommand(id, withErrorMessage(body))),
  );
}

/** Lets the user select a tool; tools are grouped by their origin. */
async function pickTool(server: Pick<Server, "request">): Promise<ToolSpec | undefined> {
  const { tools } = await server.request<ToolsListResult>(TOOLS_LIST, null);
  const items = [...tools]
    .sort((a, b) => a.toolset.localeCompare(b.toolset))
    .flatMap((tool, index, sorted) => [
      ...(tool.toolset === sorted[index - 1]?.toolset
        ? []
        : [{ label: tool.toolset, kind: vscode.QuickPickItemKind.Separator }]),
      { label: tool.id, description: tool.title, detail: tool.description, tool },
    ]);
  type ToolItem = vscode.QuickPickItem & { tool?: ToolSpec };
  const chosen = await vscode.window.showQuickPick<ToolItem>(items, { matchOnDetail: true });
  return chosen?.tool;
}

const showMarkdown = async (content: string): Promise<unknown> =>
  vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: "markdown" }));
