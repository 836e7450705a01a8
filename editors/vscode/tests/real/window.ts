// A window from outside: its page, and the requests of its tests.
import * as path from "node:path";
import { stdout } from "node:process";
import type { BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import type { Config, Window as WindowSpec } from "./config.ts";
import type { Progress, Outcome, HarnessRequest } from "./wire.ts";

/** The time-out for an element to appear, in milliseconds; less than the time limit of a case. */
const TIMEOUT_MS = 20_000;

export class Window {
  readonly spec: WindowSpec;
  readonly outcomes: Outcome[] = [];
  /** Resolves when all cases have run; rejects if they cannot run. */
  readonly ended: Promise<void>;
  readonly #config: Config;
  readonly #page: Page;
  #end: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  private constructor(config: Config, spec: WindowSpec, page: Page) {
    this.#config = config;
    this.spec = spec;
    this.#page = page;
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    // The caller waits for it later.
    this.ended.catch(() => undefined);
  }

  /** Creates an empty page. */
  static async prepare(config: Config, spec: WindowSpec, context: BrowserContext): Promise<Window> {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    if (config.likeUser) {
      page.on("console", (message) => {
        if (message.type() !== "log") stdout.write(`[${message.type()}] ${message.text().slice(0, 1000)}\n`);
      });
    }
    return new Window(config, spec, page);
  }

  /** Opens the folder; with a `payload` VS Code itself runs the tests and reports them. */
  async open(authority: string, payload: readonly (readonly string[])[] | undefined): Promise<void> {
    const query = new URLSearchParams({ folder: this.spec.folder });
    if (payload !== undefined) {
      query.set("payload", JSON.stringify(payload));
      await this.#page.exposeFunction("codeAutomationExit", (code: number) => {
        // The tests themselves report that all of them have run.
        this.#fail(new Error(`VS Code ended the tests with ${code}`));
      });
      await this.#page.exposeFunction("codeAutomationLog", (kind: string, parts: readonly unknown[]) => {
        const text = parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
        stdout.write(`[${kind}] ${text.slice(0, 1000)}\n`);
      });
    }
    await this.#page.goto(`http://${authority}/?${query.toString()}`);
  }

  /** Carries out a request of the tests. */
  async grant(request: HarnessRequest): Promise<unknown> {
    const page = this.#page;
    switch (request.kind) {
      case "begin":
        return { group: this.spec.group, done: this.outcomes.length } satisfies Progress;
      case "outcome":
        this.outcomes.push(request.outcome);
        if (request.outcome.failure !== undefined) await this.shot(`failed-${this.spec.group}-${this.outcomes.length}`);
        return null;
      case "end":
        this.#end();
        return null;
      case "reload":
        await page.reload();
        return null;
      case "see": {
        const found = this.#find(request.selector);
        await found.waitFor();
        return await found.innerText();
      }
      case "gone":
        await this.#find(request.selector).waitFor({ state: "hidden" });
        return null;
      case "stored":
        await this.#waitForStored(new RegExp(request.pattern));
        return null;
      case "click":
        await this.#find(request.selector).click();
        return null;
      case "fill":
        await this.#find(request.selector).fill(request.text);
        return null;
      case "type":
        await page.keyboard.type(request.text);
        return null;
      case "press":
        await page.keyboard.press(request.keys);
        return null;
      case "shot":
        await this.shot(request.name);
        return null;
    }
  }

  /** The first element of this selector. The parts before ` >>> ` are nested frames. */
  #find(selector: string): Locator {
    const frames = selector.split(" >>> ");
    const last = frames.pop() ?? "";
    const within = frames.reduce<Page | FrameLocator>((outer, frame) => outer.frameLocator(frame), this.#page);
    return within.locator(last).first();
  }

  /** Waits until VS Code has stored a value that matches: it stores its state every few seconds, not when it ends. */
  async #waitForStored(pattern: RegExp): Promise<void> {
    const end = Date.now() + TIMEOUT_MS;
    while (!pattern.test(JSON.stringify(await this.#page.context().storageState({ indexedDB: true })))) {
      if (Date.now() > end) throw new Error(`VS Code stored nothing that matches ${pattern.source}`);
      await this.#page.waitForTimeout(100);
    }
  }

  async shot(name: string): Promise<void> {
    await this.#page.screenshot({ path: path.join(this.#config.shots, `${name}.png`) });
  }
}
