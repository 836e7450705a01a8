// The tools that extensions contribute, over MCP: from the server that this window registers with VS Code, and from an
// agent in another process.
import * as assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { callTool, type Case, exists, file, named } from "./harness.ts";
import * as page from "./page.ts";

/** The rows of a quick pick. */
const ROW = ".quick-input-widget .monaco-list-row";

/** The words of the unsaved text. */
const UNSAVED = "one two three four five";

export const mcp: readonly Case[] = [
  {
    name: "find_tools finds another extension's tool, which reads the visible editor",
    body: async () => {
      await vscode.extensions.getExtension("zubi-tests.zubi-sample")?.activate();
      const document = await vscode.workspace.openTextDocument({ content: UNSAVED });
      await vscode.window.showTextDocument(document);
      assert.match(await callTool(named("find_tools"), { query: "count the words" }), /words\.count/);
      const text = await callTool(named("call_tool"), { tool: "words.count", arguments: {} });
      assert.match(text, /"words": 5/);
      const wrong = await callTool(named("call_tool"), { tool: "words.count", arguments: { text: 7 } });
      assert.match(wrong, /^Invalid input: text: /);
    },
  },
  {
    name: "VS Code starts the MCP server of this window, and calls its tools",
    body: async () => {
      const live = (): string[] => vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("mcp_")).sort();
      // The server is registered as soon as its status has arrived; the time limit of the case ends the loop.
      while (live().length === 0) {
        await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
      }
      assert.deepEqual(live(), [
        "mcp_zubi_snippets_add",
        "mcp_zubi_snippets_find",
        "mcp_zubi_words_count",
        "mcp_zubi_workspace_greet",
        "mcp_zubi_workspace_part",
      ]);
      assert.match(await callTool("mcp_zubi_words_count", { text: "three small words" }), /"words": 3/);
      const added = callTool("mcp_zubi_snippets_add", { name: "hello", text: "Hello, world" });
      // VS Code confirms a call of a server's tool that reports a change. Then zubi shows a form.
      await page.answerDialog("Yes");
      await page.click('.notifications-toasts .monaco-button:has-text("Respond")');
      await page.click(`${ROW}:has-text("yes: this call")`);
      await page.click(`${ROW}:has-text("Default value")`);
      await page.waitForText('.quick-input-title:has-text("3/3")');
      await page.press("Enter");
      assert.match(await added, /Saved hello/);
      assert.match(await callTool("mcp_zubi_snippets_find", { name: "hello" }), /Hello, world/);
    },
  },
  {
    name: "an agent in another process calls the tool of the extension",
    body: async () => {
      writeFileSync(file("window.ready").fsPath, "");
      await exists(file("agent.seen").fsPath);
    },
  },
];
