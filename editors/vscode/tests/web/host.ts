// Runs a group of cases on the chat page in a real Chromium. The Rust test `web` starts it; by hand: `node
// tests/web/host.ts CONFIG.json`, where the file has the fields of `Config`.
//
// It prints one line per case, below it the case's own output, and exits with 0 if all have passed. It never sleeps:
// every wait is for a visible change, and one deadline covers all of them.
import { mkdir, readFile } from "node:fs/promises";
import { argv, exit, stderr, stdout } from "node:process";
import { chromium } from "playwright-core";
import { before } from "../real/deadline.ts";
import { groups } from "./cases.ts";
import type { Config } from "./config.ts";
import { World } from "./world.ts";

async function main(config: Config): Promise<number> {
  const deadline = AbortSignal.timeout(config.deadline * 1000);
  await mkdir(config.shots, { recursive: true });
  const cases = groups[config.group];
  if (cases === undefined) throw new Error(`there is no group ${config.group}`);
  const browser = await chromium.launch({ executablePath: config.chromium, args: ["--no-sandbox", "--disable-gpu"] });
  const world = new World(config, browser, deadline);
  let failed = false;
  try {
    await world.start();
    for (const [name, run] of Object.entries(cases)) {
      try {
        const shown = await before(deadline, name, run(world));
        stdout.write(`ok      ${name}\n${shown === undefined ? "" : `${shown.trimEnd()}\n`}`);
      } catch (error) {
        failed = true;
        stdout.write(`FAILED  ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
        await shootAll(world);
        // The next cases build on this one.
        break;
      }
    }
    for (const complaint of world.complaints) stdout.write(`ERROR   ${complaint}\n`);
    return failed || world.complaints.length > 0 ? 1 : 0;
  } finally {
    await browser.close();
    await world.end();
  }
}

async function shootAll(world: World): Promise<void> {
  const pages = world.browser.contexts().flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) await world.shot(page, `failed-${world.config.group}-${index}`);
}

const [, , file] = argv;
if (file === undefined) throw new Error("usage: node host.ts CONFIG.json");
try {
  exit(await main(JSON.parse(await readFile(file, "utf8")) as Config));
} catch (error) {
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  exit(2);
}
