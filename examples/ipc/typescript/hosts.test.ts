// Tests of the trust in files of hosts, and of the choice of a host.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { CASES, type Message, Place, startTime, TOKEN } from "./fake-host.ts";
import { choose, findHost, type Host, NoHost, objectionTo, parse, readHosts, runDirectory } from "./hosts.ts";

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

function told(change: Message): Buffer {
  return Buffer.from(JSON.stringify({ ...HOST, ...change }));
}

/** Checks that no host is found, for these reasons. */
function check(...doubts: string[]): void {
  assert.deepEqual(readHosts(), { hosts: [], doubts });
}

test("a host that lives is read", (context) => {
  new Place(context).advertise();
  const { hosts, doubts } = readHosts();
  assert.deepEqual([hosts.map((host) => host.instance), doubts], [["one"], []]);
});

test("no directory means no hosts", (context) => {
  fs.rmdirSync(new Place(context).directory);
  check();
});

test("a file that others may read is not trusted", (context) => {
  const place = new Place(context);
  for (const mode of [0o644, 0o640, 0o604, 0o602]) {
    place.advertise({}, "one.json", mode);
    check("one.json: it is open to other users");
  }
});

test("a link is not followed", (context) => {
  const place = new Place(context);
  const elsewhere = path.join(place.root, "elsewhere");
  const file = place.advertise();
  fs.renameSync(file, elsewhere);
  fs.symlinkSync(elsewhere, file);
  check("one.json: it is a link");
});

test("a directory that is a link is not followed", (context) => {
  const place = new Place(context);
  place.advertise();
  fs.renameSync(place.directory, path.join(place.root, "elsewhere"));
  fs.symlinkSync(path.join(place.root, "elsewhere"), place.directory);
  check(`${place.directory}: not a directory`);
});

test("a directory that others may enter is not trusted", (context) => {
  const place = new Place(context);
  place.advertise();
  fs.chmodSync(place.directory, 0o755);
  check(`${place.directory}: it is open to other users; \`chmod 700\` it if it is yours`);
});

test("a pipe does not block the search", (context) => {
  const place = new Place(context);
  execFileSync("mkfifo", ["-m", "600", path.join(place.directory, "one.json")]);
  check("one.json: it is not a regular file");
});

test("a directory is not a file", (context) => {
  fs.mkdirSync(path.join(new Place(context).directory, "one.json"), 0o700);
  check("one.json: it is not a regular file");
});

test("what belongs to another user is not trusted", (context) => {
  const status = fs.statSync(new Place(context).advertise());
  assert.equal(objectionTo(status, "regular file"), undefined);
  assert.equal(objectionTo(Object.assign(status, { uid: status.uid + 1 }), "regular file"), "belongs to another user");
});

test("a file that is too large is not trusted", (context) => {
  new Place(context).advertise({ program: "x".repeat(70_000) });
  check("one.json: it has more than 65536 bytes");
});

test("garbage is not trusted", (context) => {
  const place = new Place(context);
  for (const garbage of ["", "{", Buffer.from([0xff, 0xfe]), "[".repeat(60_000), '{"pid": 1e999999}{', "\ufeff{}"]) {
    place.write("one.json", garbage);
    check("one.json: it is not JSON");
  }
  place.write("one.json", "[]");
  check("one.json: it is not an object");
});

test("files that are being written and other files are passed over", (context) => {
  const place = new Place(context);
  place.write(".one.json", "{");
  place.write("one.sock", "");
  check();
});

test("a process that has ended leaves nothing", async (context) => {
  const place = new Place(context);
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  place.advertise({ pid, startedAt: startTime(pid) });
  assert.equal(readHosts().hosts.length, 1);
  child.stdin.end();
  await once(child, "exit");
  check();
});

test("a process that reuses another one's ID is distinguished", (context) => {
  new Place(context).advertise({ startedAt: startTime(process.pid) - 1 });
  check();
});

test("one bad file does not hide the others", (context) => {
  const place = new Place(context);
  place.write("a.json", "{");
  place.advertise({}, "b.json");
  const { hosts, doubts } = readHosts();
  assert.deepEqual([hosts.length, doubts], [1, ["a.json: it is not JSON"]]);
});

test("only so many files are read", (context) => {
  const place = new Place(context);
  for (let number = 100; number < 358; number += 1) place.write(`${number}.json`, "{");
  const { doubts } = readHosts();
  assert.deepEqual([doubts.length, doubts.at(-1)], [257, "2 files beyond the first 256"]);
});

test("a link to the workspace leads to its host", (context) => {
  const place = new Place(context);
  place.advertise();
  fs.symlinkSync(place.workspace, path.join(place.root, "link"));
  assert.equal(findHost(path.join(place.root, "link")).instance, "one");
});

test("the error for a missing host lists the hosts that exist", (context) => {
  const place = new Place(context);
  place.advertise();
  place.write("two.json", "{");
  const message =
    `No zubi host serves ${place.root}. Served are ${place.workspace}.` + " Not trusted: two.json: it is not JSON.";
  assert.throws(() => findHost(place.root), { name: "NoHost", message, suggestion: /zubi serve/ });
  assert.throws(() => findHost(path.join(place.root, "gone")), NoHost);
});

test("the run directory is where hosts write", (context) => {
  const place = new Place(context);
  const { HOME: home, XDG_STATE_HOME: before } = process.env;
  context.after(() => {
    process.env["HOME"] = home ?? "";
    process.env["XDG_STATE_HOME"] = before ?? "";
  });
  const at = (runtime: string, state: string): string => {
    Object.assign(process.env, { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state, HOME: "/h" });
    return runDirectory();
  };
  assert.equal(at(place.root, "/s"), place.directory);
  for (const runtime of ["", "relative", "/does/not/exist"]) assert.equal(at(runtime, "/s"), "/s/zubi/run");
  for (const state of ["", "relative"]) assert.equal(at("", state), "/h/.local/state/zubi/run");
  fs.chmodSync(place.root, 0o777);
  assert.equal(at(place.root, "/s"), "/s/zubi/run");
});

for (const { name, hosts, workspace, chosen } of CASES.choices) {
  test(`the best host is chosen: ${name}`, () => {
    const read = hosts.map((change) => parse(told(change)) as Host);
    assert.equal(choose(read, workspace)?.instance ?? null, chosen);
  });
}

for (const { name, change, doubt } of CASES.files) {
  test(`a file is trusted as a whole or not: ${name}`, () => {
    const read = parse(told(change));
    if (doubt === null) assert.equal(typeof read, "object");
    else assert.equal(read, `\`${doubt}\` is missing or not as it must be`);
  });
}

test("every field that is used must be there", () => {
  for (const field of ["version", "instance", "pid", "startedAt", "kind", "workspaceFolders", "token"]) {
    assert.equal(parse(told({ [field]: undefined })), `\`${field}\` is missing or not as it must be`);
  }
});
