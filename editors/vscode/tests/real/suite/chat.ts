// The chat view: the page of `zubi web` in the side bar, with a scripted model of another extension.
import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as vscode from "vscode";
import { type Case, file, until } from "./harness.ts";
import { script } from "./models.ts";
import * as page from "./page.ts";

/** The page in its view. */
const PAGE = "iframe.webview.ready >>> iframe#active-frame >>> ";
const PROMPT = `${PAGE}#prompts form.prompt`;

const run = (command: string): { readonly name: string; readonly input: object } => ({ name: "shell_run", input: { command } });

/** Sends a message in the chat. */
async function send(text: string): Promise<void> {
  await page.click(`${PAGE}#text`);
  await page.type(text);
  await page.press("Enter");
}

/** The text of a file. */
const content = (path: string): string => readFileSync(file(path).fsPath, "utf8");

export const chat: readonly Case[] = [
  {
    name: "a task reads, edits and runs: the chat shows the diff and requests approval with editable arguments",
    body: async () => {
      await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
      const edit = { path: "web/src/shape.ts", old: "interface Shape", new: "interface Form" };
      const model = await script(
        { text: "I read it first. ", calls: [{ name: "file_read", input: { path: "web/src/shape.ts" } }] },
        { text: "Now I change it.", calls: [{ name: "file_edit", input: edit }] },
        { calls: [run("touch one.txt")] },
        // The first result covers this call too: no second prompt.
        { calls: [run("touch other.txt")] },
        { text: "All of it is **done**." },
      );
      await vscode.commands.executeCommand("zubi.agent.start");
      await page.waitForText(`${PAGE}#welcome`);
      await send("Rename the interface.");
      assert.match(await page.waitForText(PROMPT), /touch one\.txt/);
      await page.shot("chat-question");
      await page.click(`${PROMPT} details.edit summary`);
      await page.fill(`${PROMPT} details.edit textarea`, '{"command": "touch other.txt"}');
      await page.click(`${PROMPT} button:has-text("Use these arguments")`);
      assert.match(await page.waitForText(`${PROMPT}:has-text("touch other.txt")`), /this session/);
      await page.click(`${PROMPT} .option:has-text("this session") input`);
      await page.click(`${PROMPT} button:has-text("Allow")`);
      await page.waitForText(`${PAGE}.log strong:has-text("done")`);
      await page.waitForAbsence(PROMPT);
      assert.deepEqual(["one.txt", "other.txt"].filter((path) => existsSync(file(path).fsPath)), ["other.txt"]);
      assert.match(content("web/src/shape.ts"), /interface Form/);
      await page.waitForText(`${PAGE}.log .diff:has-text("interface Form")`);
      await page.shot("chat-done");
      assert.equal(model.requests.length, 5);
    },
  },
  {
    name: "the conversation continues after a stopped turn",
    body: async () => {
      const waiting = await script({ text: "Let me think about it. ", waits: true });
      const events: string[] = [];
      const subscription = waiting.events((event) => events.push(event));
      await send("Think.");
      await page.waitForText(`${PAGE}.log :text("Let me think about it.")`);
      await page.click(`${PAGE}#stop`);
      await until(waiting.events, () => events.includes("cancelled"));
      subscription.dispose();
      await page.waitForAbsence(`${PAGE}#stop`);
      const model = await script({ text: "Here it is." });
      await send("Go on.");
      await page.waitForText(`${PAGE}.log :text("Here it is.")`);
      const texts = model.requests[0]?.messages.flatMap(({ parts }) => parts.flatMap(({ text }) => text ?? [])) ?? [];
      for (const message of ["Rename the interface.", "Let me think about it.", "Go on."]) {
        assert.ok(texts.some((text) => text.includes(message)), message);
      }
      await page.shot("chat-resumed");
    },
  },
  {
    name: "a notification announces an approval prompt while the chat is closed, and opens the chat",
    body: async () => {
      let go = (): void => undefined;
      const released = new Promise<void>((resolve) => { go = resolve; });
      await script({ delay: released, calls: [run("chmod 600 other.txt")] }, { text: "Then not." });
      await send("Protect it.");
      await page.waitForText(`${PAGE}#stop`);
      await vscode.commands.executeCommand("workbench.action.closeSidebar");
      go();
      await page.waitForText('.notification-toast:has-text("shell.run wants to run")');
      await page.shot("chat-waits");
      await page.click('.notification-toast .monaco-button:has-text("Show in Chat")');
      assert.match(await page.waitForText(PROMPT), /chmod 600 other\.txt/);
      await page.click(`${PROMPT} button:has-text("Deny")`);
      await page.waitForText(`${PAGE}.log :text("Then not.")`);
    },
  },
  {
    name: "the command zubi.agent.abort stops the running task",
    body: async () => {
      const model = await script({ waits: true });
      const events: string[] = [];
      model.events((event) => {
        events.push(event);
        if (event === "waits") void vscode.commands.executeCommand("zubi.agent.abort");
      });
      await send("Wait.");
      await until(model.events, () => events.includes("cancelled"));
      await page.waitForAbsence(`${PAGE}#stop`);
      // The view's state names the shown conversation.
      await page.waitForStored(/webviewState[\\":{]+conversation[\\":]+[^\\":,]/);
    },
    reloads: true,
  },
  {
    name: "a reloaded window shows the conversation and can start a new one",
    body: async () => {
      await vscode.commands.executeCommand("zubi.agent.start");
      await page.waitForText(`${PAGE}.log :text("Here it is.")`);
      await page.shot("chat-reloaded");
      await vscode.commands.executeCommand("zubi.agent.clear");
      await page.waitForText(`${PAGE}#welcome`);
      await page.click(`${PAGE}#menu`);
      await page.waitForText(`${PAGE}#conversations :text("Rename the interface.")`);
      await page.shot("chat-conversations");
    },
  },
];
