// The appearance of the page at desktop and phone width, dark and light; nothing is wider than its window.
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Cases } from "./cases.ts";
import { DESKTOP, PHONE, type World, same } from "./world.ts";

const NARROWEST: BrowserContextOptions = { viewport: { width: 300, height: 700 } };

export const screenshots: Cases = {
  "a conversation with an approval prompt": async (world) => {
    const page = await world.page();
    await page.getByLabel("Message to zubi").fill("Put cake into the catalogue and see whether the shop still works.");
    await page.keyboard.press("Enter");
    await page.locator(".prompt").waitFor();
    await everyWay(world, async (shown) => {
      await open(shown);
      await shown.locator(".prompt").waitFor();
      return "prompt";
    });
    await page.getByRole("button", { name: "Allow" }).click();
    await page.locator(".log").getByText("Done · ").waitFor();
    return undefined;
  },
  "a completed conversation": async (world) => {
    await everyWay(world, async (shown) => {
      await open(shown);
      await shown.locator(".log").getByText("Done · ").waitFor();
      return "done";
    });
    return undefined;
  },
  "a tool in the inspector": async (world) => {
    await everyWay(world, async (shown) => {
      await shown.getByRole("button", { name: "Tools", exact: true }).click();
      await shown.locator(".tool-list").getByRole("button", { name: "Edit a file" }).click();
      await shown.getByRole("button", { name: "Add to edits" }).click();
      return "tool";
    });
    return undefined;
  },
  "roles and names of the whole page": async (world) => {
    const page = await world.page();
    await open(page);
    await page.locator(".log").getByText("Done · ").waitFor();
    const snapshot = await page.locator("body").ariaSnapshot();
    return snapshot.replaceAll(/( ·)? [\d,.]+ (ms|s)\b/g, "").replaceAll(/just now|\d+ min ago/g, "AGO");
  },
};

async function open(page: Page): Promise<void> {
  const menu = page.getByRole("button", { name: "Conversations" });
  if (await menu.isVisible()) await menu.click();
  await page.locator("#conversations button").first().click();
}

/** Shows a state in windows of all kinds and takes screenshots of it. */
async function everyWay(world: World, show: (page: Page) => Promise<string>): Promise<void> {
  for (const [width, options] of [["desktop", DESKTOP], ["phone", PHONE], ["sidebar", NARROWEST]] as const) {
    for (const colorScheme of ["dark", "light"] as const) {
      const page = await world.page({ ...options, colorScheme, reducedMotion: "reduce" });
      const name = await show(page);
      await page.evaluate("document.fonts.ready");
      await world.shot(page, `${name}-${width}-${colorScheme}`);
      same(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      await page.context().close();
    }
  }
}
