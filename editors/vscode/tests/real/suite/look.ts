// The visible parts: the status bar item with its menu, the walkthrough, the tools in the chat. Each case saves a
// screenshot of the window, for people.
import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import { callTool, type Case, file } from "./harness.ts";
import * as page from "./page.ts";

const ITEM = ".statusbar-item[id='zubi.zubi.zubi.status']";
const MENU = ".quick-input-widget .monaco-list-row";

export const look: readonly Case[] = [
  {
    name: "the status item shows that the server runs, and opens a menu",
    body: async () => {
      // The side bar takes the space that walkthroughs need for their pictures.
      await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await vscode.window.showTextDocument(file("shop/shop.dlang"));
      assert.match(await callTool("domainlang_get", {}), /^\{"summary":/);
      assert.match(await page.waitForText(`${ITEM} .codicon-plug >> xpath=ancestor::a`), /zubi/);
      await page.shot("status");
      await page.click(`${ITEM} a`);
      for (const entry of ["Copy MCP Configuration", "Show Tools", "Restart Language Server", "Show Log", "Open Settings", "Open Walkthrough"]) {
        await page.waitForText(`${MENU}:has-text("${entry}")`);
      }
      await page.shot("menu");
      await page.press("Escape");
    },
  },
  {
    name: "the tool list opens the description of a tool",
    body: async () => {
      const shown = vscode.commands.executeCommand("zubi.tools.list");
      // VS Code creates rows further down when they scroll into view.
      await page.waitForText(`${MENU}:has-text("domainlang_get")`);
      await page.shot("tools");
      await page.type("lsp_definition");
      await page.waitForText(`${MENU}.focused:has-text("Go to definition")`);
      await page.press("Enter");
      await shown;
      assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /^# lsp_definition: Go to definition\n/);
      await page.shot("tool");
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    },
  },
  {
    name: "the walkthrough opens",
    body: async () => {
      await vscode.commands.executeCommand("zubi.openWalkthrough");
      await page.waitForText('.gettingStartedContainer:has-text("The program")');
      await page.shot("walkthrough");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    },
  },
  {
    name: "the chat suggests the tools by their reference names",
    body: async () => {
      await vscode.commands.executeCommand("workbench.action.chat.open");
      await page.click(".chat-input-container .monaco-editor");
      await page.type("#references");
      await page.waitForText('.suggest-widget .monaco-list-row:has-text("references")');
      await page.shot("chat");
      await page.press("Escape");
    },
  },
];
