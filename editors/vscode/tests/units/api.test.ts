import { beforeEach, expect, test, vi } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ToolContext, ToolDefinition, ToolProvider, ToolResult, ZubiApi } from "../../api/zubi.d.ts";
import { Contributions } from "../../src/api.ts";
import { Disposable, EventEmitter, shownErrors, workspace } from "./vscode.ts";

const { Running, Stopped } = vi.hoisted(() => ({ Running: 2, Stopped: 1 }));
vi.mock("vscode-languageclient/node", () => ({ State: { Running, Stopped } }));

/** A server as its client sees it. */
class Fake {
  state = Stopped;
  readonly log: string[] = [];
  readonly notifications: unknown[] = [];
  readonly requests: string[] = [];
  readonly outputChannel = { appendLine: (line: string) => this.log.push(line) };
  readonly #handlers = new Map<string, (params: unknown, token?: unknown) => unknown>();
  #changed: (event: object) => void = () => undefined;
  /** The error with which the server refuses contributions; empty if it accepts them. */
  refuses = "";

  onRequest = (method: string, handler: (params: unknown) => unknown): Disposable => {
    this.#handlers.set(method, handler);
    return new Disposable(() => this.#handlers.delete(method));
  };
  onNotification = this.onRequest;
  onDidChangeState = (changed: (event: object) => void): Disposable => {
    this.#changed = changed;
    return new Disposable(() => undefined);
  };
  sendRequest = (method: string, params: { tools: readonly (string | { id: string })[]; functions: readonly string[] }): Promise<unknown> => {
    const tools = params.tools.map((tool) => (typeof tool === "string" ? tool : tool.id));
    this.requests.push(`${method.replace("zubi/tools/", "")} ${tools.join()} (${params.functions.join()})`);
    if (this.refuses === "never") return new Promise(() => undefined);
    if (this.refuses === "") return Promise.resolve({});
    return Promise.reject(new Error(this.refuses));
  };
  sendNotification = (method: string, params: unknown): Promise<void> => {
    this.notifications.push([method, params]);
    return Promise.resolve();
  };
  run(): void {
    this.state = Running;
    this.#changed({ newState: Running });
  }
  send(method: string, params: unknown): unknown {
    return this.#handlers.get(method)?.(params, { isCancellationRequested: false });
  }
}

let contributions: Contributions;
let client: Fake;
let api: ZubiApi;
/** Returns the server's response to the API, or throws its error. */
let answers: () => unknown;

function attach(): Fake {
  const fake = new Fake();
  contributions.attach(fake as unknown as LanguageClient);
  return fake;
}

beforeEach(() => {
  shownErrors.length = 0;
  contributions = new Contributions();
  client = attach();
  answers = () => null;
  api = contributions.api({ request: <Result>() => Promise.resolve().then(answers) as Promise<Result> });
});

function definition(id: string, metadata: ToolDefinition["metadata"] = {}): ToolDefinition {
  return { id, name: id, description: "Prints it.", parameters: { type: "object", properties: {} }, execution: { type: "function", handler: id }, metadata };
}

const echo = (args: object): ToolResult => ({ success: true, data: args });

/** Resolves when the server has received everything. */
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

test("a tool registered before a server runs is sent to it and to the next server", async () => {
  const registration = api.registerTool(definition("jira.create"), echo);
  await settled();
  expect(client.requests).toEqual([]);
  client.run();
  await settled();
  expect(client.requests).toEqual(["register jira.create (jira.create)"]);
  const next = attach();
  next.run();
  api.registerTool(definition("jira.find"), echo);
  registration.dispose();
  registration.dispose();
  await settled();
  expect(next.requests).toEqual(["register jira.create (jira.create)", "register jira.find (jira.find)", "unregister jira.create (jira.create)"]);
  expect(client.requests.length).toBe(1);
});

test("a server that never answers does not delay the registration with the next one", async () => {
  client.refuses = "never";
  client.run();
  api.registerTool(definition("jira.create"), echo);
  await settled();
  const next = attach();
  next.run();
  await settled();
  expect(next.requests).toEqual(["register jira.create (jira.create)"]);
});

test("the latest getTools call of a provider wins, even if an earlier call answers later", async () => {
  const [changed, answered] = [new EventEmitter<unknown>(), [] as ((tools: ToolDefinition[]) => void)[]];
  const getTools = (): Promise<ToolDefinition[]> => new Promise((resolve) => answered.push(resolve));
  api.registerToolProvider({ id: "p", name: "P", getTools, executeTool: echo as never, onDidChangeTools: changed.event as never });
  changed.fire(undefined);
  client.run();
  answered[1]?.([definition("p.new")]);
  await settled();
  answered[0]?.([definition("p.old")]);
  await settled();
  expect(client.requests).toEqual(["register p.new (p.new)"]);
});

test("registerTool throws for an invalid tool, and zubi reports a tool that the server refuses", async () => {
  api.registerTool(definition("jira.create"), echo);
  for (const [id, handler, why] of [
    ["create", echo, 'zubi: "create" is not a valid tool id: use namespace.name'],
    ["jira.a b", echo, 'zubi: "jira.a b" is not a valid tool id: use namespace.name'],
    ["jira.create", echo, "zubi: a tool jira.create is registered already"],
    ["jira.other", "echo" as unknown as typeof echo, "zubi: the tool jira.other has no handler"],
  ] as const) {
    expect(() => api.registerTool(definition(id), handler)).toThrow(why);
  }
  client.refuses = "there is a tool `jira.create` already";
  client.run();
  await settled();
  const notifications = "zubi: the tool jira.create is not registered: there is a tool `jira.create` already";
  expect([shownErrors, client.log]).toEqual([[notifications], [notifications]]);
});

test.each([
  ["data", () => ({ success: true, data: { key: "P-1" } }), { success: true, data: { key: "P-1" } }],
  ["nothing", () => ({ success: true }), { success: true, data: null }],
  ["an error", () => ({ success: false, error: "no such project" }), { success: false, error: "no such project" }],
  ["an error without a reason", () => ({ success: false }), { success: false, error: "it gave no reason" }],
  ["an invalid result", () => "done", { success: false, error: "its result is not of the form { success, data }" }],
  ["undefined", () => undefined, { success: false, error: "its result is not of the form { success, data }" }],
  ["a value that JSON cannot represent", () => ({ success: true, data: 1n }), { success: false, error: "Do not know how to serialize a BigInt" }],
  ["an exception", () => { throw new Error("thrown"); }, { success: false, error: "thrown" }],
])("the server receives the outcome of a handler that gives %s", async (_name, handler, expected) => {
  api.registerTool(definition("jira.create"), handler as typeof echo);
  for (const called of [{ tool: "jira.create" }, { function: "jira.create" }]) {
    expect(await client.send("zubi/editor/invokeContributed", { ...called, arguments: {}, token: 1 })).toEqual(expected);
  }
});

test("a handler receives its context with its own progress and log", async () => {
  workspace.workspaceFolders = [{ uri: { fsPath: "/work" } }];
  let seen: ToolContext | undefined;
  api.registerTool(definition("jira.create"), (args, context) => {
    seen = context;
    context.progress.report({ message: "half", increment: 50 });
    context.progress.report({ increment: 70 });
    context.log("hello");
    return { success: true, data: args };
  });
  const call = { tool: "jira.create", arguments: { a: 1 }, token: 7 };
  expect(await client.send("zubi/editor/invokeContributed", call)).toEqual({ success: true, data: { a: 1 } });
  expect(seen).toMatchObject({ workspaceFolder: { uri: { fsPath: "/work" } }, cancellationToken: { isCancellationRequested: false } });
  expect(client.notifications).toEqual([
    ["$/progress", { token: 7, value: { kind: "report", message: "half", percentage: 50 } }],
    ["$/progress", { token: 7, value: { kind: "report", percentage: 100 } }],
  ]);
  expect(client.log).toEqual(["jira.create: hello"]);
  const gone = { success: false, error: "no extension has it registered any more" };
  expect(await client.send("zubi/editor/invokeContributed", { ...call, tool: "jira.find" })).toEqual(gone);
  workspace.workspaceFolders = undefined;
});

test("zubi updates a provider's tools on change, skips invalid ones and disposes the provider once", async () => {
  const changed = new EventEmitter<unknown>();
  const tools = [definition("my-provider.hello"), definition("none"), definition("my-provider.bye")];
  let disposed = 0;
  const provider: ToolProvider = {
    id: "my-provider",
    name: "My Tools",
    getTools: () => Promise.resolve([...tools]),
    executeTool: (id, args) => ({ success: true, data: [id, args] }),
    onDidChangeTools: changed.event as never,
    dispose: () => { disposed += 1; },
  };
  client.run();
  const registration = api.registerToolProvider(provider);
  await settled();
  expect(client.requests).toEqual(["register my-provider.hello (my-provider.hello)", "register my-provider.bye (my-provider.bye)"]);
  expect(shownErrors).toEqual(['zubi: "none" is not a valid tool id: use namespace.name']);
  const call = { tool: "my-provider.hello", arguments: { name: "Ada" }, token: 1 };
  expect(await client.send("zubi/editor/invokeContributed", call)).toEqual({ success: true, data: ["my-provider.hello", { name: "Ada" }] });
  tools.splice(0, 2);
  client.requests.length = 0;
  changed.fire(undefined);
  await settled();
  expect(client.requests.map((requests) => requests.split(" (")[0])).toEqual([
    "unregister my-provider.hello",
    "unregister my-provider.bye",
    "register my-provider.bye",
  ]);
  registration.dispose();
  registration.dispose();
  changed.fire(undefined);
  await settled();
  expect([disposed, client.requests.at(-1), client.requests.length]).toEqual([1, "unregister my-provider.bye (my-provider.bye)", 4]);
  shownErrors.length = 0;
  api.registerToolProvider({ ...provider, getTools: () => Promise.reject(new Error("not now")) });
  await settled();
  expect(shownErrors).toEqual(["zubi: the tools of My Tools are not known: not now"]);
});

test("executeTool always reports the duration", async () => {
  for (const [answered, expected] of [
    [() => ({ text: "hi" }), { success: true, data: "hi" }],
    [() => ({ text: "{}", data: { a: 1 } }), { success: true, data: { a: 1 } }],
    [() => ({ text: "Failed to echo: no", isError: true }), { success: false, error: "Failed to echo: no" }],
    [() => { throw new Error("no server"); }, { success: false, error: "Error in echo: no server" }],
  ] as const) {
    answers = answered;
    const { metadata, ...result } = await api.executeTool("echo", {});
    expect(result).toEqual(expected);
    expect(metadata?.duration).toBeGreaterThanOrEqual(0);
  }
});

test("getTools lists the tools, and events report added and removed tools", async () => {
  const spec = { id: "jira.create", title: "Create", description: "Makes one.", effect: "execute", toolset: "contributed", inputSchema: { type: "object" } };
  const tool = {
    id: "jira.create",
    name: "Create",
    description: "Makes one.",
    parameters: { type: "object" },
    execution: { type: "function", handler: "jira.create" },
    metadata: { effect: "execute", category: "", tags: [] },
  };
  answers = () => ({ tools: [spec] });
  expect(await api.getTools()).toEqual([tool]);
  const events: unknown[] = [];
  api.onDidRegisterTool((added) => events.push(added));
  api.onDidUnregisterTool((id) => events.push(id));
  client.send("zubi/tools/didChange", { added: [spec], removed: ["jira.find"] });
  expect(events).toEqual(["jira.find", tool]);
  expect(api.version).toBe("1.0.0");
});
