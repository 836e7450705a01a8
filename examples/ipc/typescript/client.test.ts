// Tests of the client's requests, the responses that it accepts, and its errors.
import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { test, type TestContext } from "node:test";

import { CASES, failure, type Message, TestDirectory, pong, type Reply, result, TOKEN } from "./fake-host.ts";
import { Lines, MAX_FRAME, proofOf } from "./wire.ts";
import {
  getVscodeDiagnostics,
  getVscodeErrorSummary,
  type IpcError,
  isVscodeAvailable,
  type Options,
  VSCodeIPCClient,
  withClient,
} from "./zubi-ipc.ts";

/** A client that is closed when the test ends. */
function client(context: TestContext, fixture: TestDirectory, options: Options = {}): VSCodeIPCClient {
  const made = new VSCodeIPCClient({ workspace: fixture.workspace, ...options });
  context.after(() => {
    made.close();
  });
  return made;
}

/** Returns the error with which `attempt` fails; every error has a next step. */
async function fails(name: string, message: RegExp, attempt: Promise<unknown>): Promise<IpcError> {
  let caught: IpcError | undefined;
  await assert.rejects(attempt, (error: IpcError) => {
    caught = error;
    assert.equal(error.name, name);
    assert.match(error.message, message);
    assert.notEqual(error.suggestion, "");
    return true;
  });
  assert(caught !== undefined);
  return caught;
}

test("every method sends the documented request", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host((message) => [
    result(message, { method: message["method"], params: message["params"] ?? null }),
  ]);
  const file = path.join(process.cwd(), "src/é.py");
  const requests: [(it: VSCodeIPCClient) => Promise<unknown>, string, unknown][] = [
    [(it) => it.ping(), "ping", null],
    [(it) => it.getDiagnostics("src/é.py"), "getDiagnostics", { path: file }],
    [(it) => it.getDiagnostics("/a/../b"), "getDiagnostics", { path: "/a/../b" }],
    [(it) => it.getAllDiagnostics(), "getAllDiagnostics", {}],
    [
      (it) => it.getAllDiagnostics({ severity: "error", source: "Pylance", limit: 5 }),
      "getAllDiagnostics",
      { severity: "error", source: "Pylance", limit: 5 },
    ],
    [(it) => it.getWorkspaceErrors(), "getWorkspaceErrors", null],
    [(it) => it.validateFile("src/é.py"), "validateFile", { path: file }],
    [(it) => it.getOpenFiles(), "getOpenFiles", null],
    [(it) => it.getActiveFile(), "getActiveFile", null],
    [(it) => it.executeCommand("zubi.restart"), "executeCommand", { command: "zubi.restart" }],
    [
      (it) => it.executeCommand("zubi.validateFile", ["/p/a"]),
      "executeCommand",
      { command: "zubi.validateFile", args: ["/p/a"] },
    ],
  ];
  for (const options of [{}, { port: host.port }]) {
    const connected = await client(context, fixture, options).connect();
    for (const [send, method, params] of requests) assert.deepEqual(await send(connected), { method, params });
  }
  assert.deepEqual(new Set(host.received.map((message) => message["jsonrpc"])), new Set(["2.0"]));
});

test("connect and close can be called again", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host();
  const made = client(context, fixture);
  for (let round = 1; round <= 2; round += 1) {
    await Promise.all([made.connect(), made.connect()]);
    await made.connect();
    assert.equal((await made.ping()).status, "ok");
    assert.equal(made.host?.kind, "daemon");
    assert.equal(host.connections.length, round);
    made.close();
    made.close();
    assert.equal(made.host, undefined);
  }
  await fails("ConnectionFailed", /not connected/, made.ping());
  const opening = made.connect();
  made.close();
  await fails("ConnectionFailed", /closed while it connected/, opening);
});

test("a client can connect again after its host has ended", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host(() => []);
  const made = await client(context, fixture).connect();
  const pending = made.ping();
  host.close();
  await fails("ConnectionFailed", /closed the connection|broke/, pending);
  await fails("ConnectionFailed", /not connected/, made.ping());
  await fixture.host();
  assert.equal((await (await made.connect()).ping()).status, "ok");
});

test("the client rejects an invalid time-out", () => {
  for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
    assert.throws(() => new VSCodeIPCClient({ timeoutMs }), RangeError);
  }
});

test("the client accepts answers in any order", async (context) => {
  const fixture = new TestDirectory(context);
  const waiting: Message[] = [];
  await fixture.host((message) => {
    waiting.push(message);
    return waiting.length < 100 ? [] : waiting.reverse().map((one) => result(one, { id: one["id"] }));
  });
  const made = await client(context, fixture).connect();
  const answers = await Promise.all(Array.from({ length: 100 }, () => made.call("ping")));
  assert.deepEqual(
    answers,
    Array.from({ length: 100 }, (_, id) => ({ id })),
  );
});

test("the client uses the current directory as the workspace", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host();
  const before = process.cwd();
  process.chdir(fixture.workspace);
  try {
    assert.equal((await withClient({}, (made) => made.ping())).status, "ok");
  } finally {
    process.chdir(before);
  }
});

test("the client connects to the port of a host without a socket", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host();
  fixture.advertise({ socket: null, port: host.port });
  assert.equal(await isVscodeAvailable({ workspace: fixture.workspace }), true);
});

test("the client refuses a port that no trusted file names", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host();
  fs.chmodSync(path.join(fixture.directory, "one.json"), 0o644);
  await fails("NoHost", /Not trusted: one.json: it is open/, client(context, fixture, { port: host.port }).connect());
  fs.rmSync(path.join(fixture.directory, "one.json"));
  const message = new RegExp(`No file of a host names the port ${host.port}`);
  await fails("NoHost", message, client(context, fixture, { port: host.port }).connect());
  assert.deepEqual(host.connections, []);
});

test("the client refuses another version of the protocol", async (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise({ version: 2 });
  const message = /speaks version 2 of the protocol, this client version 1/;
  await fails("ConnectionFailed", message, client(context, fixture).connect());
});

test("the client refuses a path that is not a socket or that is a link", async (context) => {
  const fixture = new TestDirectory(context);
  fixture.write("none.sock", "");
  await fixture.host();
  fs.symlinkSync("one.sock", path.join(fixture.directory, "link.sock"));
  for (const name of ["none.sock", "link.sock"]) {
    fixture.advertise({ socket: path.join(fixture.directory, name) });
    await fails("ConnectionFailed", /is not a socket of this user/, client(context, fixture).connect());
  }
});

test("the client refuses the socket of another user", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host();
  const status = fs.lstatSync(fixture.socket);
  context.mock.method(fs, "lstatSync", () => Object.assign(status, { uid: status.uid + 1 }));
  await fails("ConnectionFailed", /is not a socket of this user/, client(context, fixture).connect());
  assert.deepEqual(host.connections, []);
});

test("the client reports a host that has ended", async (context) => {
  const fixture = new TestDirectory(context);
  fixture.advertise();
  await fails("ConnectionFailed", /Cannot connect .* no such file/, client(context, fixture).connect());
  const host = await fixture.host();
  fs.renameSync(fixture.socket, `${fixture.socket}.moved`);
  host.close();
  fixture.advertise({ socket: `${fixture.socket}.moved` });
  await fails("ConnectionFailed", /Cannot connect .* refused/, client(context, fixture).connect());
});

test("the proof is the same in every implementation", () => {
  for (const { token, serverNonce, clientNonce, ...proofs } of CASES.proofs) {
    for (const side of ["client", "server"] as const) {
      assert.equal(proofOf(token, side, serverNonce, clientNonce), proofs[side]);
    }
  }
});

const unauthenticatedCases: [string, RegExp, Parameters<TestDirectory["host"]>[1]][] = [
  ["a host with a wrong proof", /does not know the host's token/, { prove: () => "00".repeat(32) }],
  [
    "a host that reflects the client's proof",
    /does not know the host's token/,
    { prove: () => proofOf(TOKEN, "client", "11".repeat(32), "22".repeat(32)) },
  ],
  ["a host without a proof", /does not know the host's token/, { prove: () => undefined }],
  ["a host with another token", /did not accept our proof/, { token: "00".repeat(32) }],
  ["a host that rejects the proof", /did not accept our proof. wrong$/, { token: "00".repeat(32), refusal: "wrong" }],
  ["an HTTP server", /not JSON/, { greeting: Buffer.from("HTTP/1.1 400 Bad Request\r\n") }],
  ["a host with a short nonce", /does not begin/, { greeting: Buffer.from('{"nonce":"1"}\n') }],
  ["a host with a number for a nonce", /does not begin/, { greeting: Buffer.from('{"nonce":7}\n') }],
  ["a host that begins with a list", /not a message/, { greeting: Buffer.from("[]\n") }],
  ["a host with an oversized first line", /more than 4096 bytes/, { greeting: Buffer.from("x".repeat(5000)) }],
  [
    "a host that refuses the connection",
    /^The host refused: 64 connections\ufffd\[2J$/,
    {
      greeting: Buffer.from(
        `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "64 connections\x1b[2J" } })}\n`,
      ),
    },
  ],
];
for (const [name, message, options] of unauthenticatedCases) {
  test(`the client sends no request to ${name}`, async (context) => {
    const fixture = new TestDirectory(context);
    const host = await fixture.host(pong, options);
    const made = client(context, fixture, { port: host.port });
    await assert.rejects(made.connect(), (error: IpcError) => message.test(error.message) && error.suggestion !== "");
    assert.deepEqual([host.received, made.host], [[], undefined]);
  });
}

test("connect times out if the host sends no greeting", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host(pong, { greeting: Buffer.alloc(0) });
  await fails("TimedOut", /in time/, client(context, fixture, { port: host.port, timeoutMs: 100 }).connect());
});

test("a line can arrive in any two chunks", () => {
  const line = Buffer.from(JSON.stringify({ text: "größer → 🦀" }));
  const end = Buffer.from("\n");
  const data = Buffer.concat([line, end, line, end]);
  const single = Array.from(data, (_, at) => data.subarray(at, at + 1));
  const cuts = Array.from({ length: data.length + 1 }, (_, at) => [data.subarray(0, at), data.subarray(at)]);
  for (const pieces of [single, ...cuts]) {
    const lines = new Lines(line.length);
    assert.deepEqual(
      pieces.flatMap((piece) => [...lines.take(piece)]),
      [line, line],
    );
  }
  assert.throws(() => [...new Lines(line.length - 1).take(data)], { name: "ProtocolError" });
});

test("the client ignores notifications and answers requests", async (context) => {
  const fixture = new TestDirectory(context);
  let question: Message = {};
  await fixture.host((message) => {
    if (message["method"] !== "ping") return [result(question, (message["error"] as Message)["code"])];
    question = message;
    const request = { jsonrpc: "2.0", id: "x", method: "tools/invoke", params: {} };
    return [{ jsonrpc: "2.0", method: "$/progress", params: {} }, request];
  });
  assert.equal(await (await client(context, fixture).connect()).call("ping"), -32601);
});

const valid = { jsonrpc: "2.0", id: 0, result: {} };
const noAnswers: [RegExp, Reply][] = [
  ...[1, -1, "0", 0.5, false, [0]].map((id): [RegExp, Reply] => [/without a request/, { ...valid, id }]),
  [/without a request/, { jsonrpc: "2.0", result: {} }],
  [/without a request/, { ...valid, jsonrpc: "1.0" }],
  [/neither a result nor an error/, { jsonrpc: "2.0", id: 0 }],
  [/not JSON/, Buffer.from("hello\n")],
  [/not JSON/, Buffer.from("\n")],
  [/not JSON/, Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":0,"result":"'), 0xff, 0x22, 0x7d, 0x0a])],
  [/not JSON/, Buffer.from(`${"[".repeat(100_000)}\n`)],
  [/not a message/, Buffer.from("[]\n")],
  [/more than 8388608 bytes/, Buffer.alloc(MAX_FRAME + 1, "x")],
  [/64 connections/, { jsonrpc: "2.0", id: null, error: { code: -32000, message: "64 connections are open" } }],
];
for (const [message, reply] of noAnswers) {
  const description = Buffer.isBuffer(reply) ? reply.subarray(0, 40).toString().trim() : JSON.stringify(reply);
  test(`the client rejects this answer: ${description}`, async (context) => {
    const fixture = new TestDirectory(context);
    await fixture.host(() => [reply]);
    const made = await client(context, fixture).connect();
    await assert.rejects(made.ping(), (error: IpcError) => message.test(error.message) && error.suggestion !== "");
    await fails("ConnectionFailed", /not connected/, made.ping());
  });
}

test("a repeated answer ends the connection", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host((message) => [...pong(message), ...(message["id"] === 1 ? [] : pong(message))]);
  const made = await client(context, fixture).connect();
  await Promise.all([made.ping(), fails("ProtocolError", /without a request/, made.ping())]);
});

test("a request that cannot be sent does not affect the connection", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host();
  const made = await client(context, fixture).connect();
  await fails("ProtocolError", /more than the 8388608/, made.call("ping", { x: "x".repeat(MAX_FRAME) }));
  await fails("ProtocolError", /cannot be sent/, made.getDiagnostics("/p/\udcff"));
  for (const x of [Number.NaN, 1n, () => 1]) {
    await fails("ProtocolError", /cannot be sent/, made.call("ping", { x }));
  }
  assert.equal((await made.ping()).status, "ok");
  assert.equal(host.received.length, 1);
});

test("the client refuses an answer that is not an object", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host((message) => [result(message, "ok")]);
  await fails("ProtocolError", /not an object/, (await client(context, fixture).connect()).ping());
});

test("the client cancels a request that times out and ignores its late answer", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host((message) => {
    if (message["method"] === "ping") return pong(message);
    return message["method"] === "$/cancelRequest" ? [failure({ id: 0 }, -32800, "taken back")] : [];
  });
  const made = await client(context, fixture, { timeoutMs: 100 }).connect();
  await fails("TimedOut", /in time/, made.getOpenFiles());
  assert.equal((await made.ping()).status, "ok");
  assert.deepEqual(host.received[1], { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 0 } });
});

test("the client closes the connection to a host that sends only notifications", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host(() => []);
  const made = await client(context, fixture, { timeoutMs: 200 }).connect();
  const pending = made.ping();
  const connection = await host.first;
  const talk = (): void => {
    if (!connection.destroyed) connection.write('{"jsonrpc":"2.0","method":"$/progress"}\n', talk);
  };
  talk();
  await fails("TimedOut", /in time/, pending);
  host.close();
});

test("the client closes the connection to a host that does not read", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host(pong, { isReading: false });
  const made = await client(context, fixture, { timeoutMs: 200 }).connect();
  await fails("TimedOut", /in time/, made.call("ping", { x: "x".repeat(4_000_000) }));
  await fails("ConnectionFailed", /not connected/, made.ping());
});

test("the client closes the connection to a host that sends requests and reads no answers", async (context) => {
  const fixture = new TestDirectory(context);
  const host = await fixture.host(pong, { isReading: false });
  const made = await client(context, fixture, { timeoutMs: 60_000 }).connect();
  const pending = made.ping();
  const id = "x".repeat(1_000_000);
  const connection = await host.first;
  const flood = (): void => {
    const line = `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/invoke" })}\n`;
    if (!connection.destroyed) connection.write(line, flood);
  };
  flood();
  await fails("ProtocolError", /reads no answers/, pending);
});

test("connect times out if nothing answers on the port", async (context) => {
  const fixture = new TestDirectory(context);
  const silent = net.createServer(() => undefined);
  await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as net.AddressInfo;
  fixture.advertise({ port });
  await fails("TimedOut", /in time/, client(context, fixture, { port, timeoutMs: 100 }).connect());
  silent.close();
});

for (const { name, code, field, suggestion } of CASES.errors) {
  test(`an error of the host has a code, a field and a suggestion: ${name}`, async (context) => {
    const fixture = new TestDirectory(context);
    await fixture.host((message) => [failure(message, code, "no\u202e", field === null ? null : { field })]);
    const made = await client(context, fixture).connect();
    for (let round = 0; round < 2; round += 1) {
      // The connection stays open.
      const error = await fails("RpcError", /^no\ufffd$/, made.ping());
      assert.deepEqual([error.code, "field" in error ? (error.field ?? null) : null], [code, field]);
      assert(error.suggestion.includes(suggestion), error.suggestion);
    }
  });
}

test("the client reports a malformed error", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host((message) => [{ jsonrpc: "2.0", id: message["id"], error: { code: "x", data: 7 } }]);
  const error = await fails("RpcError", /no message/, (await client(context, fixture).connect()).ping());
  assert.equal(error.code, -32603);
});

test("the functions return answers unchanged", async (context) => {
  const fixture = new TestDirectory(context);
  await fixture.host((message) =>
    message["method"] === "ping" ? pong(message) : [result(message, { params: message["params"] ?? null })],
  );
  const where = { workspace: fixture.workspace };
  assert.equal(await isVscodeAvailable(where), true);
  assert.deepEqual(await getVscodeDiagnostics("/p/a", where), { params: { path: "/p/a" } });
  const filtered = await getVscodeDiagnostics(undefined, { severity: "error", limit: 3, ...where });
  assert.deepEqual(filtered, { params: { severity: "error", limit: 3 } });
  assert.deepEqual(await getVscodeErrorSummary(where), { params: null });
});

test("the functions return a failure as an answer", async (context) => {
  const fixture = new TestDirectory(context);
  const where = { workspace: fixture.workspace };
  const expected = {
    error: true,
    message: `No zubi host serves ${fixture.workspace}.`,
    suggestion: "Open the folder in an editor with the zubi extension, or run `zubi serve --detach` in it.",
  };
  assert.equal(await isVscodeAvailable(where), false);
  assert.deepEqual(await getVscodeDiagnostics("/p/a", where), expected);
  assert.deepEqual(await getVscodeErrorSummary(where), expected);
  await fixture.host((message) => [failure(message, -32003, "loading 3 of 9")]);
  assert.deepEqual(await getVscodeErrorSummary(where), {
    error: true,
    message: "loading 3 of 9",
    suggestion: "The language server is still reading the project: try again in a few seconds.",
  });
});
