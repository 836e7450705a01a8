// Tests of which hosts' files are trusted, and of the choice of a host.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { CASES, type Message, TestDirectory, startTime, TOKEN } from "./fake-host.ts";
import { choose, findHost, type Host, NoHost, rejectionReason, parse, readHosts, runDirectory } from "./hosts.ts";

const HOST = {
  version: 1,
  instance: "one",
  pid: 1,
  startedAt: 1,
  kind: "daemon",
  workspaceFolders: ["/p"],
  socket: "/r/one.sock",
  port: 9847,
  token: TOKEN,
  capabilities: [],
  program: "0.1.0",
};

function hostFile(change: Message): Buffer {
  return Buffer.from(JSON.stringify({ ...HOST, ...change }));
}

/** Checks that no host is found, with these rejections. */
function check(...rejections: string[]): void {
  assert.deepEqual(readHosts(), { hosts: [], rejections });
}

test("readHosts reads a running host", (context) => {
  new TestDirectory(context).advertise();
  const { hosts, rejections } = readHosts();
  assert.deepEqual([hosts.map((host) => host.instance), rejections], [["one"], []]);
});

test("no directory means no hosts", (context) => {
  fs.rmdirSync(new TestDirectory(context).directory);
  check();
});

test("readHosts rejects a file that is open to other users", (context) => {
  const fixture = new TestDirectory(context);
  for (const mode of [0o644, 0o640, 0o604, 0o602]) {
    fixture.advertise({}, "one.json", mode);
    check("one.json: it is open to other users");
  }
});

test("readHosts rejects a link", (context) => {
  const fixture = new TestDirectory(context);
  const elsewhere = path.join(fixture.root, "elsewhere");
  const file = fixture.advertise();
  fs.renameSync(file, elsewhere);
  fs.symlinkSync(elsewhere, file);
  check("one.json: it is a link");
});

test("readHosts rejects a run directory that is a link", (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise();
  fs.renameSync(fixture.directory, path.join(fixture.root, "elsewhere"));
  fs.symlinkSync(path.join(fixture.root, "elsewhere"), fixture.directory);
  check(`${fixture.directory}: not a directory`);
});

test("readHosts rejects a run directory that is open to other users", (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise();
  fs.chmodSync(fixture.directory, 0o755);
  check(`${fixture.directory}: it is open to other users; \`chmod 700\` it if it is yours`);
});

test("a pipe does not block readHosts", (context) => {
  const fixture = new TestDirectory(context);
  execFileSync("mkfifo", ["-m", "600", path.join(fixture.directory, "one.json")]);
  check("one.json: it is not a regular file");
});

test("readHosts rejects a directory in place of a file", (context) => {
  fs.mkdirSync(path.join(new TestDirectory(context).directory, "one.json"), 0o700);
  check("one.json: it is not a regular file");
});

test("rejectionReason rejects a file of another user", (context) => {
  const status = fs.statSync(new TestDirectory(context).advertise());
  assert.equal(rejectionReason(status, "regular file"), undefined);
  assert.equal(
    rejectionReason(Object.assign(status, { uid: status.uid + 1 }), "regular file"),
    "belongs to another user",
  );
});

test("readHosts rejects an oversized file", (context) => {
  new TestDirectory(context).advertise({ program: "x".repeat(70_000) });
  check("one.json: it has more than 65536 bytes");
});

test("readHosts rejects a file that is not a JSON object", (context) => {
  const fixture = new TestDirectory(context);
  for (const garbage of ["", "{", Buffer.from([0xff, 0xfe]), "[".repeat(60_000), '{"pid": 1e999999}{', "\ufeff{}"]) {
    fixture.write("one.json", garbage);
    check("one.json: it is not JSON");
  }
  fixture.write("one.json", "[]");
  check("one.json: it is not an object");
});

test("readHosts ignores temporary and other files", (context) => {
  const fixture = new TestDirectory(context);
  fixture.write(".one.json", "{");
  fixture.write("one.sock", "");
  check();
});

test("readHosts ignores a process that has ended", async (context) => {
  const fixture = new TestDirectory(context);
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  fixture.advertise({ pid, startedAt: startTime(pid) });
  assert.equal(readHosts().hosts.length, 1);
  child.stdin.end();
  await once(child, "exit");
  check();
});

test("readHosts ignores a process that reuses the ID of a host", (context) => {
  new TestDirectory(context).advertise({ startedAt: startTime(process.pid) - 1 });
  check();
});

test("one bad file does not hide the others", (context) => {
  const fixture = new TestDirectory(context);
  fixture.write("a.json", "{");
  fixture.advertise({}, "b.json");
  const { hosts, rejections } = readHosts();
  assert.deepEqual([hosts.length, rejections], [1, ["a.json: it is not JSON"]]);
});

test("readHosts reads at most 256 files", (context) => {
  const fixture = new TestDirectory(context);
  for (let number = 100; number < 358; number += 1) fixture.write(`${number}.json`, "{");
  const { rejections } = readHosts();
  assert.deepEqual([rejections.length, rejections.at(-1)], [257, "2 files beyond the first 256"]);
});

test("findHost resolves a link to the workspace", (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise();
  fs.symlinkSync(fixture.workspace, path.join(fixture.root, "link"));
  assert.equal(findHost(path.join(fixture.root, "link")).instance, "one");
});

test("the error for a missing host lists the hosts that exist", (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise();
  fixture.write("two.json", "{");
  const message =
    `No zubi host serves ${fixture.root}. Served are ${fixture.workspace}.` + " Not trusted: two.json: it is not JSON.";
  assert.throws(() => findHost(fixture.root), { name: "NoHost", message, suggestion: /zubi serve/ });
  assert.throws(() => findHost(path.join(fixture.root, "gone")), NoHost);
});

test("runDirectory returns the directory in which hosts write", (context) => {
  const fixture = new TestDirectory(context);
  const { HOME: home, XDG_STATE_HOME: before } = process.env;
  context.after(() => {
    process.env["HOME"] = home ?? "";
    process.env["XDG_STATE_HOME"] = before ?? "";
  });
  const at = (runtime: string, state: string): string => {
    Object.assign(process.env, { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state, HOME: "/h" });
    return runDirectory();
  };
  assert.equal(at(fixture.root, "/s"), fixture.directory);
  for (const runtime of ["", "relative", "/does/not/exist"]) assert.equal(at(runtime, "/s"), "/s/zubi/run");
  for (const state of ["", "relative"]) assert.equal(at("", state), "/h/.local/state/zubi/run");
  fs.chmodSync(fixture.root, 0o777);
  assert.equal(at(fixture.root, "/s"), "/s/zubi/run");
});

for (const { name, hosts, workspace, chosen } of CASES.choices) {
  test(`choose returns the best host: ${name}`, () => {
    const read = hosts.map((change) => parse(hostFile(change)) as Host);
    assert.equal(choose(read, workspace)?.instance ?? null, chosen);
  });
}

for (const { name, change, doubt } of CASES.files) {
  test(`parse accepts or rejects a file as a whole: ${name}`, () => {
    const read = parse(hostFile(change));
    if (doubt === null) assert.equal(typeof read, "object");
    else assert.equal(read, `\`${doubt}\` is missing or not as it must be`);
  });
}

test("parse rejects a file without a required field", () => {
  for (const field of ["version", "instance", "pid", "startedAt", "kind", "workspaceFolders", "token"]) {
    assert.equal(parse(hostFile({ [field]: undefined })), `\`${field}\` is missing or not as it must be`);
  }
});
