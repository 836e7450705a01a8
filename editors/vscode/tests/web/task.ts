// A task from start to end: reads, changes, approvals and a stop; a second tab; a server that disappears.
import type { Page } from "playwright-core";
import type { Cases } from "./cases.ts";
import { DESKTOP, contains, same } from "./world.ts";

let page: Page;
let otherPage: Page;

export const task: Cases = {
  "the answer streams in, thoughts are collapsed, and read-only calls are grouped": async (world) => {
    page = await world.page();
    await page.getByLabel("Message to zubi").fill("Add cake to the catalogue, and look whether it is there.");
    await page.keyboard.press("Enter");
    await page.locator(".log").getByText("I look at the files first.").waitFor();
    const thoughts = page.locator(".thoughts");
    same(await thoughts.locator("pre").first().isVisible(), false);
    await thoughts.first().click();
    contains(await thoughts.locator("pre").first().innerText(), "The person wants cake.");
    const group = page.locator(".group");
    await group.getByText("2 more").waitFor();
    same(await group.locator(".call").count(), 5);
    await group.getByText("2 more").click();
    same(await group.locator(".call").count(), 7);
    await group.locator(".call").first().click();
    await group.locator(".call .body").first().getByText("- tea").waitFor();
    return undefined;
  },
  "a diff marks the changes with labels as well as colours": async () => {
    const diff = page.locator(".diff-card").first();
    await diff.waitFor();
    same(await diff.getAttribute("aria-label"), "catalogue.md: changed, 1 lines added, 0 removed");
    const added = diff.locator("tr.add");
    same((await added.locator("td").allInnerTexts()).slice(1), ["4", "+", "- cake"]);
    same(await added.locator(".mark").getAttribute("aria-label"), "added");
    return undefined;
  },
  "the approval prompt for a command shows all its effects": async () => {
    const prompt = page.getByRole("form", { name: /Allow this call/ });
    await prompt.waitFor();
    same(await page.title(), "(?) zubi");
    contains(await page.locator("#urgent").textContent(), "zubi requests approval: ");
    return await prompt.ariaSnapshot();
  },
  "a second tab shows the same conversation": async (world) => {
    otherPage = await world.page();
    await otherPage.locator("#conversations").getByText("Add cake to the catalogue").click();
    await otherPage.locator(".log").getByText("I look at the files first.").waitFor();
    await otherPage.getByRole("form", { name: /Allow this call/ }).waitFor();
    return undefined;
  },
  "the page does not send invalid arguments": async () => {
    const prompt = page.locator(".prompt");
    await prompt.getByText("Edit the arguments").click();
    const field = prompt.getByLabel("Arguments (JSON)");
    await field.fill("{ command: ");
    contains(await prompt.locator(".edit .problem").innerText(), "Invalid JSON");
    await prompt.getByRole("button", { name: "Use these arguments" }).click();
    contains(await prompt.locator("> .problem").innerText(), "The arguments cannot be sent.");
    await field.fill(JSON.stringify({ command: "zgrep -c cake catalogue.md" }));
    return undefined;
  },
  "a command allowed for the session runs with edited arguments and needs no second approval": async () => {
    const prompt = page.locator(".prompt");
    await prompt.getByRole("button", { name: "Use these arguments" }).click();
    // The page shows the effect of the edited arguments before the call.
    await prompt.locator("dd code").getByText("zgrep -c cake catalogue.md").waitFor();
    await prompt.getByRole("radio", { name: "any arguments (shell.run), for this session" }).check();
    await prompt.getByRole("button", { name: "Allow" }).click();
    await page.locator(".log").getByText("Done · ").waitFor();
    await otherPage.locator(".log").getByText("Done · ").waitFor();
    same(await otherPage.locator(".prompt").count(), 0);
    const calls = await page.locator(".row.calls > details").allInnerTexts();
    contains(await page.locator(".log").getByText("cake is in the catalogue").innerText(), "cake");
    same(await page.title(), "zubi");
    return calls.slice(-3).map((call) => `        ${call.replaceAll(/\s+/g, " ").replace(/ · [\d.]+ s$/, "").trim()}`).join("\n");
  },
  "the page shows the tokens, iterations and calls of the turn": async () => {
    same(await page.locator("#tokens").innerText(), await otherPage.locator("#tokens").innerText());
    contains(await page.locator("#tokens").innerText(), "tokens");
    contains(await page.locator(".ended").innerText(), "5 iterations · 10 calls");
    return undefined;
  },
  "Escape stops a turn, and the text so far remains": async () => {
    const text = page.getByLabel("Message to zubi");
    await text.fill("Tell me a long story.");
    await text.press("Enter");
    await page.locator(".log").getByText("Once upon a").waitFor();
    await otherPage.locator(".log").getByText("Once upon a").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".ended[data-reason=stopped]").waitFor();
    await otherPage.locator(".ended[data-reason=stopped]").waitFor();
    contains(await page.locator(".assistant").last().innerText(), "Stopped here.");
    same(await page.getByRole("button", { name: "Stop" }).isVisible(), false);
    return undefined;
  },
  "the page reports that zubi does not answer": async (world) => {
    const { port } = world;
    await world.end();
    await page.locator("#unavailable").getByText("zubi does not answer").waitFor();
    await world.start(port);
    // The token in the old address is no longer valid.
    await page.locator("#unavailable").getByText("This page has no valid token").waitFor();
    return undefined;
  },
  "the conversation resumes after a restart of zubi": async (world) => {
    await page.goto(world.address);
    await page.reload();
    await page.locator(".ended[data-reason=stopped]").waitFor();
    same(new URL(page.url()).hash, "");
    await page.getByLabel("Message to zubi").fill("Go on.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".log").getByText("They lived happily").waitFor();
    await page.locator(".ended[data-reason=completed]").nth(1).waitFor();
    return undefined;
  },
  "the keyboard alone can search, open a conversation, send a message and allow a call": async (world) => {
    const page = await world.page(DESKTOP);
    const focused = async (): Promise<string> =>
      String(await page.evaluate("(({ id, tagName, textContent }) => id || tagName + ' ' + textContent.slice(0, 30))(document.activeElement)"));
    same(await focused(), "text");
    await page.keyboard.press("Control+k");
    same(await focused(), "search");
    await page.keyboard.type("cake");
    await page.locator("#found").getByText("1 conversations found").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    contains(await focused(), "BUTTON Add cake");
    await page.keyboard.press("Enter");
    await page.locator(".log").getByText("They lived happily").waitFor();
    same(await focused(), "text");
    await page.keyboard.type("Try the other one.");
    await page.keyboard.press("Enter");
    await page.locator(".prompt").waitFor();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("Shift+Tab");
    same(await focused(), "BUTTON Allow");
    await page.keyboard.press("Enter");
    await page.locator(".log").getByText("It says three.").waitFor();
    same(await focused(), "text");
    return undefined;
  },
  "the model receives the reason for a denial and the message sent meanwhile": async () => {
    const text = page.getByLabel("Message to zubi");
    await text.fill("Remove everything.");
    await text.press("Enter");
    await page.locator(".prompt").waitFor();
    await text.fill("But keep the tea.");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".log").getByText("Sent with the next model request.").waitFor();
    await page.getByLabel("Reason for the denial").fill("Never that.");
    await page.keyboard.press("Enter");
    await page.locator(".log").getByText("I keep the tea.").waitFor();
    contains(await page.locator(".call[data-status=refused]").innerText(), "Denied, on this page: Never that.");
    return undefined;
  },
  "the page shows the end of a conversation of ten thousand events, and the rest on demand": async (world) => {
    const page = await world.page();
    await page.route("**/api/open", (route) => route.fulfill({ json: long() }));
    await page.locator("#conversations button").first().click();
    await page.locator(".log").getByText("Answer 2499").waitFor();
    const rows = page.locator(".rows > .row");
    const few = await rows.count();
    if (few > 200) throw new Error(`${few} rows`);
    await page.getByText(/Show earlier/).click();
    await page.locator(".log").getByText("Question 2400", { exact: true }).waitFor({ state: "attached" });
    return undefined;
  },
  "the user renames, exports and deletes a conversation": async () => {
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByLabel("Title").fill("Cake for all");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Cake for all" }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: /^Save / }).click();
    contains((await download).suggestedFilename(), ".yaml");
    contains(await page.locator("#dialog textarea").inputValue(), "zubiScenario: 1");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.locator("#dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "New conversation" }).waitFor();
    await page.locator("#conversations").getByText("Cake for all").waitFor({ state: "detached" });
    return undefined;
  },
};

/** A conversation of 2,500 turns with four events each, as `open` returns it. */
function long(): unknown {
  const usage = { input: 10, output: 1, cached: 0 };
  const events = Array.from({ length: 2500 }, (_, index) => {
    const turn = index + 1;
    const ended = { type: "ended", turn, reason: "completed", text: "", iterations: 1, calls: 0, usage, duration: 5 };
    return [
      { type: "asked", turn, text: `Question ${index}` },
      { type: "iteration", turn, iteration: 1, model: "scripted/scripted" },
      { type: "answered", turn, iteration: 1, said: { text: `Answer ${index}` }, usage, stop: "finished" },
      ended,
    ];
  }).flat();
  const summary = { id: "long", title: "Long", created: 0, updated: 0, turns: 2500, usage, state: "idle" };
  return { summary, events: events.map((event, index) => ({ seq: index + 1, at: 0, ...event })), passing: [] };
}
