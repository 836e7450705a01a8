// The tool inspector: finding tools, calling them with a form, and their approval prompts.
import type { Page } from "playwright-core";
import type { Cases } from "./cases.ts";
import { contains, same } from "./world.ts";

let page: Page;

export const inspector: Cases = {
  "the search finds a tool, and a form built from its schema calls it": async (world) => {
    page = await world.page();
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await page.getByLabel("Search tools").fill("read file");
    await page.getByRole("button", { name: "Read a file", exact: false }).first().click();
    await page.getByLabel("path (required)").fill("catalogue.md");
    await page.getByLabel("startLine").fill("3");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    contains(await page.locator(".result").innerText(), "- tea");
    return await page.getByRole("form", { name: "Call Read a file" }).ariaSnapshot();
  },
  "the form does not send invalid values": async () => {
    await page.getByLabel("startLine").fill("third");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    contains(await page.locator(".form > .problem").innerText(), "startLine: Enter a number.");
    await page.getByLabel("Write the arguments as JSON").check();
    await page.getByLabel("Arguments (JSON)").fill(JSON.stringify({ path: "nowhere.md" }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: "Failed" }).waitFor();
    contains(await page.locator(".result").innerText(), "nowhere.md");
    return undefined;
  },
  "a list of objects has nested fields": async () => {
    await page.getByLabel("Search tools").fill("file_edit");
    await page.locator(".tool-list").getByRole("button", { name: "Edit a file" }).click();
    await page.getByLabel("path (required)").fill("catalogue.md");
    await page.getByRole("button", { name: "Add to edits" }).click();
    const entry = page.locator(".entry").first();
    await entry.getByLabel("old (required)").fill("- milk");
    await entry.getByLabel("new (required)").fill("- oat milk");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".result .diff-card").waitFor();
    same(await page.locator(".result .diff-card tr.add .code").innerText(), "- oat milk");
    return undefined;
  },
  "a denied command does not run": async () => {
    await page.getByLabel("Search tools").fill("shell_run");
    await page.locator(".tool-list").getByRole("button", { name: "Run a command" }).click();
    await page.getByLabel("command (required)").fill("touch made");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const prompt = page.locator(".prompt");
    await prompt.getByLabel("Reason for the denial").fill("Not here.");
    await prompt.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Failed" }).waitFor();
    contains(await page.locator(".result").innerText(), "Not here.");
    await prompt.waitFor({ state: "detached" });
    return undefined;
  },
  "stopping a call closes its approval prompt": async () => {
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".prompt").waitFor();
    await page.locator(".pane").getByRole("button", { name: "Stop" }).click();
    await page.locator(".prompt").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Failed" }).waitFor();
    return undefined;
  },
  "Escape returns to the conversation": async () => {
    await page.keyboard.press("Escape");
    same(await page.locator("#chat").isVisible(), true);
    same(await page.locator("#tools").isVisible(), false);
    return undefined;
  },
};
