import { beforeEach, expect, test, vi } from "vitest";
import type { Server } from "../../src/client.ts";
import { registerCommands } from "../../src/commands.ts";
import manifest from "../../package.json" with { type: "json" };
import { commandResults, shownErrors, user, workspace } from "./vscode.ts";

// No test here starts a server.
vi.mock("vscode-languageclient/node", () => ({ LanguageClient: Object }));

const TOOLS = [
  { id: "workspace.deploy", title: "[Deploy](command:x.y)", description: "Deploys.", toolset: "declared", inputSchema: { required: ["to"], properties: { to: { type: "string" } } } },
  { id: "lsp_hover", title: "Hover", description: "What it is.", toolset: "lsp", inputSchema: { type: "object" } },
];

const requests: unknown[] = [];
let fails: Error | undefined;
const server = {
  program: "/bin/zubi",
  request: (method: string, params: unknown) => {
    requests.push([method, params]);
    if (fails) return Promise.reject(fails);
    return Promise.resolve(method === "zubi/tools/list" ? { tools: TOOLS } : { text: "done" });
  },
};

const run = (command: string): Promise<unknown> => Promise.resolve(commandResults.get(command)?.());

beforeEach(() => {
  workspace.workspaceFolders = [{ uri: { fsPath: "/a" } }];
  requests.length = 0;
  user.shown.length = 0;
  const commands = registerCommands(server as unknown as Server, {
    execute: (command) => Promise.resolve(void requests.push(command)),
    stop: () => Promise.resolve(void requests.push("stop")),
  });
  return () => {
    commands.dispose();
    fails = user.chooses = user.types = workspace.workspaceFolders = undefined;
  };
});

test("the extension registers exactly the commands of the manifest", () => {
  const listed = manifest.contributes.commands.map(({ command }) => command);
  expect([...commandResults.keys()].filter((name) => name.startsWith("zubi.")).sort()).toEqual([...listed].sort());
});

test("the agent's commands control the chat", async () => {
  for (const command of ["start", "clear", "abort"]) await run(`zubi.agent.${command}`);
  expect(requests).toEqual([{ do: "focus" }, { do: "new" }, "stop"]);
});

test("the menu opens the command palette with zubi's commands", async () => {
  const opened: unknown[] = [];
  commandResults.set("workbench.action.quickOpen", (...args) => opened.push(...args));
  commandResults.set("workbench.action.openWalkthrough", (...args) => opened.push(...args));
  await run("zubi.showMenu");
  await run("zubi.openWalkthrough");
  const [walkthrough] = manifest.contributes.walkthroughs;
  expect(opened).toEqual([">zubi: ", `${manifest.publisher}.${manifest.name}#${walkthrough?.id ?? ""}`]);
  expect(new Set(manifest.contributes.commands.map(({ category }) => category))).toEqual(new Set(["zubi"]));
});

test("the copied MCP configuration starts this program for this folder", async () => {
  user.chooses = "servers";
  await run("zubi.copyMcpConfiguration");
  expect(JSON.parse(user.copied)).toEqual({ servers: { zubi: { command: "/bin/zubi", args: ["--workspace", "/a", "mcp"] } } });
});

test("the tool list groups tools by toolset and shows a tool's description and schema", async () => {
  user.chooses = "workspace.deploy";
  await run("zubi.tools.list");
  expect(user.offered).toEqual(["declared", "workspace.deploy", "lsp", "lsp_hover"]);
  expect(user.shown).toEqual([`# workspace.deploy: [Deploy](command:x.y)\n\nDeploys.\n\n\`\`\`json\n${JSON.stringify(TOOLS[0]?.inputSchema, null, 2)}\n\`\`\`\n`]);
});

test("a tool runs with the typed arguments, and the extension shows its answer", async () => {
  user.chooses = "workspace.deploy";
  user.types = (offered) => offered.replace('""', '"test"');
  await run("zubi.tools.run");
  expect(requests.at(-1)).toEqual(["zubi/tools/call", { id: "workspace.deploy", args: { to: "test" } }]);
  expect(user.shown).toEqual(["done"]);
  expect(user.awaits).toBe("[Deploy] (command:x.y)");
  user.types = undefined;
  await run("zubi.tools.run");
  expect(user.shown).toEqual(["done"]);
});

test("the extension shows a failure as an error message", async () => {
  user.chooses = "lsp_hover";
  user.types = () => "{";
  await run("zubi.tools.run");
  expect(shownErrors.splice(0)).toEqual([expect.stringMatching(/^zubi: .*JSON/)]);
  // A link in a notification would run a command.
  fails = new Error("no [file](command:x.y)");
  await run("zubi.tools.list");
  expect(shownErrors.splice(0)).toEqual(["zubi: no [file] (command:x.y)"]);
});

test("the extension reports a program that does not start and opens no file", async () => {
  shownErrors.length = 0;
  server.program = "/no/such/program";
  await run("zubi.tools.createConfig");
  server.program = "/bin/zubi";
  expect(shownErrors).toEqual([expect.stringMatching(/^zubi: spawn \/no\/such\/program ENOENT$/)]);
});
