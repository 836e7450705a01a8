// VS Code's server; it serves the workbench and starts the extension hosts.
import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import { env, execPath, stdout } from "node:process";
import { assembleDriver, assembleOther, assembleExtension, writeJson } from "./assemble.ts";
import type { Config } from "./config.ts";
import { before } from "./deadline.ts";
import { PROGRAM, SOCKET } from "./wire.ts";

export class VsCodeServer {
  /** Host and port. */
  readonly authority: string;
  readonly #child: ChildProcess;
  readonly #output: string[];

  private constructor(child: ChildProcess, authority: string, output: string[]) {
    this.#child = child;
    this.authority = authority;
    this.#output = output;
  }

  static async start(config: Config, socket: string, deadline: AbortSignal): Promise<VsCodeServer> {
    const { scratch } = config;
    const data = path.join(scratch, "data");
    const extensions = path.join(scratch, "extensions");
    const places = ["--server-data-dir", path.join(scratch, "server"), "--user-data-dir", data, "--extensions-dir", extensions];
    // Settings of the machine scope, which a workspace cannot set.
    await writeJson(path.join(data, "Machine/settings.json"), {
      ...(config.vsix === undefined && { "zubi.server.path": config.server }),
      // Auto-save is on by default in a browser, so unsaved text could not be tested.
      "files.autoSave": "off",
      "telemetry.telemetryLevel": "off",
      "extensions.autoCheckUpdates": false,
      ...config.settings,
    });
    for (const name of config.extensions) await assembleOther(name, path.join(extensions, `zubi-tests.${name}-0.0.1`));
    if (config.likeUser) {
      await assembleDriver(path.join(extensions, "zubi-tests.driver-0.0.1"));
      if (config.vsix === undefined) await assembleExtension(path.join(extensions, "zubi.zubi-0.1.0"));
      else await VsCodeServer.#install(config, config.vsix, places, deadline);
    }
    const child = VsCodeServer.#spawn(config, { ...config.variables, [SOCKET]: socket, [PROGRAM]: config.server }, [
      ...["--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--accept-server-license-terms"],
      ...places,
      ...["--telemetry-level", "off"],
      ...(config.untrusted ? [] : ["--disable-workspace-trust"]),
      // Only this driver lets a page name an extension and its tests. Dialogs then answer themselves.
      ...(config.likeUser ? [] : ["--enable-smoke-test-driver"]),
      // The seconds for which an extension host outlives its window; hours by default.
      ...["--reconnection-grace-time", "1"],
    ]);
    const output: string[] = [];
    const authority = new Promise<string>((resolve, reject) => {
      const collect = (data: Buffer): void => {
        output.push(data.toString());
        const port = /Extension host agent listening on (\d+)/.exec(output.join(""))?.[1];
        if (port !== undefined) resolve(`127.0.0.1:${port}`);
      };
      child.stdout?.on("data", collect);
      child.stderr?.on("data", collect);
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

  /** Installs a package as a user does. */
  static async #install(config: Config, vsix: string, places: readonly string[], deadline: AbortSignal): Promise<void> {
    const child = VsCodeServer.#spawn(config, {}, ["--accept-server-license-terms", ...places, "--install-extension", vsix]);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => output.push(data.toString()));
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    if ((await before(deadline, "the package to be installed", code)) !== 0) throw new Error(output.join(""));
    stdout.write(output.join(""));
  }

  static #spawn(config: Config, variables: Readonly<Record<string, string>>, args: readonly string[]): ChildProcess {
    return spawn(execPath, ["out/server-main.js", ...args], {
      cwd: path.join(config.vscode, "node_modules/code-server/lib/vscode"),
      env: { ...env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group lets `ended` end all processes.
      detached: true,
    });
  }
}

/** Ends a process with its group; kills them after five seconds. */
async function ended(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once("exit", () => { resolve(); }));
  process.kill(-pid, "SIGTERM");
  const timer = setTimeout(() => process.kill(-pid, "SIGKILL"), 5000);
  await exit;
  clearTimeout(timer);
}
