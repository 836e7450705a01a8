// Runs groups of tests inside a real VS Code: its server, its workbench in headless Chromium, and the extension from
// this repository or from a package. The Rust test `vscode` starts it; by hand: `node tests/real/host.ts CONFIG.json`,
// where the file has the fields of `Config`.
//
// It prints the output of the extension host, writes each test's result to the file `results`, and exits with 0 if
// every test passed. It never sleeps: every wait is for an event, and one deadline covers all of them.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import * as path from "node:path";
import { argv, exit, stderr, stdout } from "node:process";
import { createInterface } from "node:readline";
import { type Browser, chromium } from "playwright-core";
import { assembleExtension, assembleSuite } from "./assemble.ts";
import type { Config } from "./config.ts";
import { before } from "./deadline.ts";
import { VsCodeServer } from "./server.ts";
import type { Answer, HarnessRequest } from "./wire.ts";
import { Window } from "./window.ts";

const CHROMIUM = [
  // Chromium's sandbox needs permissions that a container lacks; this instance shows only our page.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

async function main(config: Config): Promise<number> {
  const deadline = AbortSignal.timeout(config.deadline * 1000);
  await mkdir(config.shots, { recursive: true });
  const payload = config.likeUser ? undefined : await assemblePayload(config.scratch);
  const windows: Window[] = [];
  const socket = path.join(config.scratch, "tests.sock");
  const listener = await listen(socket, windows, config.results);
  const server = await VsCodeServer.start(config, socket, deadline);
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: config.chromium, args: CHROMIUM });
    for (const spec of config.windows) {
      // Each window has its own cache, because concurrent loads into one cache block each other.
      const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
      windows.push(await Window.prepare(config, spec, context));
    }
    const runs = windows.map(async (window) => {
      await window.open(server.authority, payload?.(server.authority));
      await window.ended;
    });
    await before(deadline, "the tests to end", Promise.all(runs));
    return windows.some(({ outcomes }) => outcomes.some(({ failure }) => failure !== undefined)) ? 1 : 0;
  } catch (error) {
    stdout.write(server.output);
    for (const window of windows) await window.shot(`failed-${window.spec.group}`).catch(() => undefined);
    throw error;
  } finally {
    await browser?.close();
    await server.end();
    listener.close();
  }
}

/** Returns the arguments of a page that name extension and tests: the URIs under which this server serves them. */
async function assemblePayload(scratch: string): Promise<(authority: string) => string[][]> {
  const extension = path.join(scratch, "extension");
  const suite = path.join(scratch, "suite.cjs");
  await assembleExtension(extension);
  await assembleSuite(suite);
  return (authority) => [
    ["extensionDevelopmentPath", `vscode-remote://${authority}${extension}`],
    ["extensionTestsPath", `vscode-remote://${authority}${suite}`],
  ];
}

/** Answers the requests of the windows' tests; the first request of each names its folder. */
async function listen(socket: string, windows: readonly Window[], results: string): Promise<Server> {
  const server = createServer((connection) => {
    void grantAll(connection, windows, results).catch((error: unknown) => connection.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  return server;
}

async function grantAll(connection: Socket, windows: readonly Window[], results: string): Promise<void> {
  // The extension host of a reloaded window ends without a message.
  connection.on("error", () => undefined);
  let window: Window | undefined;
  for await (const line of createInterface({ input: connection })) {
    const request = JSON.parse(line) as HarnessRequest;
    if (request.kind === "begin") window = windows.find(({ spec }) => spec.folder === request.folder);
    let answer: Answer;
    try {
      if (window === undefined) throw new Error("no window has this folder");
      answer = { value: await window.grant(request) };
    } catch (error) {
      answer = { failure: error instanceof Error ? error.message : String(error) };
    }
    // The file is written after each case, so that a cancelled run shows its progress.
    if (request.kind === "outcome") await writeFile(results, JSON.stringify(windows.flatMap(({ outcomes }) => outcomes)));
    if (connection.writable) connection.write(`${JSON.stringify(answer)}\n`);
  }
}

const [, , file] = argv;
if (file === undefined) throw new Error("usage: node host.ts CONFIG.json");
try {
  exit(await main(JSON.parse(await readFile(file, "utf8")) as Config));
} catch (error) {
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  exit(2);
}
