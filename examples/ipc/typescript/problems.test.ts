// Tests of the program's output and exit code.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { test } from "node:test";

import { TestDirectory, result } from "./fake-host.ts";

const PROGRAM = path.join(import.meta.dirname, "problems.ts");
const PROBLEM = {
  range: { start: { line: 2, character: 4 }, end: { line: 2, character: 9 } },
  message: "Unknown\nname\x1b",
  severity: "error",
  source: "ty",
};

async function check(fixture: TestDirectory, files: string[], code: number, out: string, err: RegExp): Promise<void> {
  const [ended, printed, stderrText] = await new Promise<[unknown, string, string]>((resolve) => {
    execFile(process.execPath, [PROGRAM, ...files], { cwd: fixture.workspace }, (error, stdout, stderr) => {
      resolve([error?.code ?? 0, stdout, stderr]);
    });
  });
  assert.deepEqual([ended, printed], [code, out]);
  assert.match(stderrText, err);
}

test("the program prints diagnostics", async (context) => {
  const fixture = new TestDirectory(context);
  const file = { path: path.join(fixture.workspace, "src", "a.py"), diagnostics: [PROBLEM] };
  const coverage = { analysed: 1, total: 2, mode: "headless", note: "ty has read one file" };
  await fixture.host((message) => [
    result(message, message["method"] === "validateFile" ? file : { files: [file], coverage }),
  ]);
  const line = "src/a.py:3:5 error: Unknown name\ufffd (ty)\n";
  await check(fixture, ["src/a.py"], 1, line, /using the daemon host/);
  await check(fixture, [], 1, `${line}looked at 1 of 2 files: ty has read one file\n`, /using/);
});

test("without diagnostics there is no output", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host((message) => [result(message, { files: [] })]);
  await check(fixture, [], 0, "", /using the daemon host/);
});

test("a missing host has its own exit code", async (context) => {
  await check(new TestDirectory(context), [], 3, "", /zubi serve/);
});
