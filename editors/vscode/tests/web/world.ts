// The environment of the cases: a running `zubi web`, and pages in Chromium.
import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import { createInterface } from "node:readline";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { before } from "../real/deadline.ts";
import type { Config } from "./config.ts";

/** The time-out for an element to appear, in milliseconds. */
const TIMEOUT_MS = 20_000;
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 };

export class World {
  readonly config: Config;
  readonly browser: Browser;
  /** Errors in pages that must not occur: script errors, and violations of the content security policy. */
  readonly complaints: string[] = [];
  readonly #deadline: AbortSignal;
  #child: ChildProcess | undefined;
  #address = "";

  constructor(config: Config, browser: Browser, deadline: AbortSignal) {
    this.config = config;
    this.browser = browser;
    this.#deadline = deadline;
  }

  /** The address in the output of `zubi web`. */
  get address(): string {
    return this.#address;
  }

  get port(): number {
    return Number(new URL(this.#address).port);
  }

  /** Starts `zubi web`, on this port if it is not 0. */
  async start(port = 0): Promise<void> {
    const flags = [...(port === 0 ? [] : ["--port", String(port)]), ...this.config.flags];
    const child = spawn(this.config.program, ["web", "--no-open", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    const printed = new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const address = /http:\/\/127\.0\.0\.1:\d+\/#token=\w+/.exec(line)?.[0];
        if (address !== undefined) resolve(address);
      });
      child.once("error", reject);
      child.once("exit", (code) => { reject(new Error(`zubi web ended with ${String(code)}`)); });
    });
    this.#address = await before(this.#deadline, "zubi web to print its address", printed);
  }

  /** Ends `zubi web` as Ctrl-C does. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => { resolve(); }));
    child.kill("SIGINT");
    await before(this.#deadline, "zubi web to end", ended);
  }

  /** Opens a page in a browser context that shares nothing with the others. */
  async page(options: BrowserContextOptions = DESKTOP, address = this.#address): Promise<Page> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      // A failed request means that the server is away; the tests check how the page shows that.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) this.complaints.push(message.text());
    });
    await page.goto(address);
    return page;
  }

  async shot(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: path.join(this.config.shots, `web-${name}.png`) });
  }
}

/** Fails with both texts unless one contains the other. */
export function contains(text: string | null, wanted: string): void {
  if (text?.includes(wanted) !== true) throw new Error(`${JSON.stringify(wanted)} is not in ${JSON.stringify(text)}`);
}

export function same(is: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(is), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left} instead of ${right}`);
}
