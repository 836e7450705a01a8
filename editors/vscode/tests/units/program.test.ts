import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { locate, showProblem } from "../../src/program.ts";
import { answer, commandResults, settings, shownErrors, workspace } from "./vscode.ts";

let root = "";

/** Creates a file with this mode below the test's directory. */
function program(relative: string, mode: number): string {
  const file = path.join(root, relative);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

/** The found program without the test's directory, or the reason why no program was found. */
function found(): string {
  try {
    return locate(path.join(root, "extension")).slice(root.length);
  } catch (error) {
    return (error as Error).message.replaceAll(root, "");
  }
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "zubi-"));
  vi.stubEnv("PATH", ["relative", path.join(root, "empty"), path.join(root, "bin")].join(path.delimiter));
  vi.stubEnv("HOME", path.join(root, "house"));
  return () => {
    rmSync(root, { recursive: true });
    vi.unstubAllEnvs();
    settings.clear();
    workspace.isTrusted = true;
  };
});

test("the setting takes precedence over the bundled program, and the bundled program over the PATH", () => {
  program("bin/zubi", 0o755);
  expect(found()).toBe("/bin/zubi");
  program("extension/server/zubi", 0o755);
  expect(found()).toBe("/extension/server/zubi");
  program("house/zubi", 0o755);
  settings.set("zubi.server.path", "~/zubi");
  expect(found()).toBe("/house/zubi");
});

test("locate finds only the bundled program in an untrusted folder", () => {
  program("bin/zubi", 0o755);
  settings.set("zubi.server.path", program("chosen", 0o755));
  workspace.isTrusted = false;
  expect(found()).toMatch(/^no program zubi came with this extension, and no other is started in a folder that you do not trust/);
  program("extension/server/zubi", 0o755);
  expect(found()).toBe("/extension/server/zubi");
});

test("locate makes the bundled program executable again", () => {
  const file = program("extension/server/zubi", 0o644);
  expect(found()).toBe("/extension/server/zubi");
  expect(statSync(file).mode & 0o777).toBe(0o755);
});

test.for([
  ["no/such", "no/such is not a file; the setting zubi.server.path names it"],
  ["/missing", "/missing is not a file; the setting zubi.server.path names it"],
  ["/plain", "/plain is not executable; the setting zubi.server.path names it"],
] as const)("locate reports a setting that names no program: %s", ([setting, expected]) => {
  program("bin/zubi", 0o755);
  program("plain", 0o644);
  settings.set("zubi.server.path", setting.startsWith("/") ? path.join(root, setting) : setting);
  expect(found()).toBe(expected);
});

test("locate reports a missing program, and the message offers to open the setting", async () => {
  program("bin/zubi", 0o644);
  expect(found()).toBe("there is no program zubi, neither with this extension nor on the PATH");
  const ran: unknown[] = [];
  commandResults.set("workbench.action.openSettings", (...args) => ran.push(args));
  answer.button = "Open Setting";
  await showProblem("it did not start");
  delete answer.button;
  await showProblem("it did not start");
  expect(shownErrors.splice(0)).toEqual(["zubi: it did not start", "zubi: it did not start"]);
  expect(ran).toEqual([["zubi.server.path"]]);
});
