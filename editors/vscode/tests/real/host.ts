// Runs one group of tests inside a real VS Code: its server, its workbench in Chromium without a screen, the extension
// from this repository. Started by the Rust test `vscode`, and by hand: `node tests/real/host.ts CONFIG.json`, where the
// file has the fields of `Config`.
//
// It prints what the extension host wrote and ends with exit code 0 when every test passed. What each test came to is in the
// file `results`. Nothing here sleeps: every wait is for an event, and all of them together have one deadline.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { argv, env, execPath, exit, stderr, stdout } from "node:process";
import { type Browser, chromium } from "playwright-core";
import { bundle } from "../../build.ts";

export interface Config {
  /** Where `code-server` is installed. */
  readonly vscode: string;
  readonly chromium: string;
  /** The `zubi` the extension starts. */
  readonly server: string;
  /** The folder that is open. */
  readonly workspace: string;
  /** An empty directory for everything that is written. */
  readonly scratch: string;
  /** Which group of tests. */
  readonly group: string;
  /** Where the tests leave what they came to. */
  readonly results: string;
  /** After so many seconds all of it is given up. */
  readonly deadline: number;
}

const EXTENSION = path.resolve(import.meta.dirname, "../..");

async function main(config: Config): Promise<number> {
  const deadline = AbortSignal.timeout(config.deadline * 1000);
  const [extension, suite] = await assemble(config.scratch);
  const server = await VsCodeServer.start(config, deadline);
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: config.chromium, args: CHROMIUM });
    return await runTests(browser, server.authority, config, extension, suite, deadline);
  } catch (error) {
    stdout.write(server.output);
    throw error;
  } finally {
    await browser?.close();
    await server.end();
  }
}

const CHROMIUM = [
  // Its own sandbox needs rights that a container does not give; it shows nothing but our page.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Puts together what would be in the package of the extension, fresh from the sources, and bundles the tests. */
async function assemble(scratch: string): Promise<[extension: string, suite: string]> {
  const extension = path.join(scratch, "extension");
  await mkdir(extension, { recursive: true });
  for (const part of ["package.json", "language-configuration.json", "syntaxes"]) {
    await cp(path.join(EXTENSION, part), path.join(extension, part), { recursive: true });
  }
  await bundle(path.join(EXTENSION, "src/extension.ts"), path.join(extension, "dist/extension.cjs"));
  const suite = path.join(scratch, "suite.cjs");
  await bundle(path.join(EXTENSION, "tests/real/suite/index.ts"), suite);
  return [extension, suite];
}

/** VS Code's server, which serves the workbench and starts the extension host. */
class VsCodeServer {
  /** Host and port. */
  readonly authority: string;
  readonly #child: ChildProcess;
  readonly #output: string[];

  private constructor(child: ChildProcess, authority: string, output: string[]) {
    this.#child = child;
    this.authority = authority;
    this.#output = output;
  }

  static async start(config: Config, deadline: AbortSignal): Promise<VsCodeServer> {
    const data = path.join(config.scratch, "data");
    // Settings of machine scope; a workspace cannot have them.
    await writeJson(path.join(data, "Machine/settings.json"), {
      "zubi.server.path": config.server,
      // In a browser it is on, and what is not saved could not be tested.
      "files.autoSave": "off",
      "telemetry.telemetryLevel": "off",
      "extensions.autoCheckUpdates": false,
    });
    const child = spawn(
      execPath,
      [
        "out/server-main.js",
        ...["--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--accept-server-license-terms"],
        ...["--server-data-dir", path.join(config.scratch, "server"), "--user-data-dir", data],
        ...["--extensions-dir", path.join(config.scratch, "extensions"), "--telemetry-level", "off"],
        "--disable-workspace-trust",
        // Only with it may a page name an extension and its tests.
        "--enable-smoke-test-driver",
        // How long an extension host outlives its window, in seconds; it is hours otherwise.
        ...["--reconnection-grace-time", "1"],
      ],
      {
        cwd: path.join(config.vscode, "node_modules/code-server/lib/vscode"),
        env: { ...env, ZUBI_TEST_GROUP: config.group, ZUBI_TEST_RESULTS: config.results, ZUBI_TEST_SERVER: config.server },
        stdio: ["ignore", "pipe", "pipe"],
        // In a group of its own, so that all of it can be ended.
        detached: true,
      },
    );
    const output: string[] = [];
    const authority = new Promise<string>((resolve, reject) => {
      const see = (data: Buffer): void => {
        output.push(data.toString());
        const port = /Extension host agent listening on (\d+)/.exec(output.join(""))?.[1];
        if (port !== undefined) resolve(`127.0.0.1:${port}`);
      };
      child.stdout.on("data", see);
      child.stderr.on("data", see);
      child.on("error", reject);
      child.on("exit", (code) => { reject(new Error(`VS Code's server ended with ${String(code)}\n${output.join("")}`)); });
    });
    try {
      return new VsCodeServer(child, await before(deadline, "VS Code's server to start", authority), output);
    } catch (error) {
      stdout.write(output.join(""));
      await ended(child);
      throw error;
    }
  }

  get output(): string {
    return this.#output.join("");
  }

  end(): Promise<void> {
    return ended(this.#child);
  }
}

/** Ends a process with its group: in order, and after five seconds without mercy. */
async function ended(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once("exit", () => { resolve(); }));
  process.kill(-pid, "SIGTERM");
  const timer = setTimeout(() => process.kill(-pid, "SIGKILL"), 5000);
  await exit;
  clearTimeout(timer);
}

async function runTests(
  browser: Browser,
  authority: string,
  config: Config,
  extension: string,
  suite: string,
  deadline: AbortSignal,
): Promise<number> {
  const page = await (await browser.newContext()).newPage();
  const code = new Promise<number>((resolve, reject) => {
    void page.exposeFunction("codeAutomationExit", resolve).catch(reject);
  });
  await page.exposeFunction("codeAutomationLog", (kind: string, parts: readonly unknown[]) => {
    const text = parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
    stdout.write(`[${kind}] ${text.slice(0, 1000)}\n`);
  });
  const remote = (file: string): string => `vscode-remote://${authority}${file}`;
  const payload = [
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(suite)],
  ];
  const query = new URLSearchParams({ folder: config.workspace, payload: JSON.stringify(payload) });
  await before(deadline, "the workbench to open", page.goto(`http://${authority}/?${query.toString()}`));
  try {
    return await before(deadline, "the tests to end", code);
  } catch (error) {
    await page.screenshot({ path: path.join(config.scratch, "window.png") });
    throw error;
  }
}

/** A promise's value, if it has one before the deadline. */
function before<Value>(deadline: AbortSignal, what: string, value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = (): void => { reject(new Error(`gave up waiting for ${what}`)); };
    if (deadline.aborted) late();
    deadline.addEventListener("abort", late, { once: true });
    value.then(resolve, reject).finally(() => { deadline.removeEventListener("abort", late); });
  });
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value));
}

const [, , file] = argv;
if (file === undefined) throw new Error("usage: node host.ts CONFIG.json");
try {
  exit(await main(JSON.parse(await readFile(file, "utf8")) as Config));
} catch (error) {
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  exit(2);
}
