import { beforeEach, expect, test } from "vitest";
import { registerMcpProvider } from "../../src/mcp.ts";
import type { StatusParams } from "../../src/protocol.ts";
import { EventEmitter, type McpStdioServerDefinition, registered, workspace } from "./vscode.ts";

interface Provider {
  readonly onDidChangeMcpServerDefinitions: (listener: () => void) => unknown;
  provideMcpServerDefinitions(): McpStdioServerDefinition[];
}

const HOST: StatusParams = { instance: "a1", clients: [], tools: 60, revision: 2, hasModels: false };

beforeEach(() => {
  workspace.workspaceFolders = [{ uri: { fsPath: "/a" } }, { uri: { fsPath: "/b c" } }];
  return () => {
    workspace.workspaceFolders = undefined;
    workspace.isTrusted = true;
  };
});

function announced(): { status: { host: StatusParams | undefined; onDidChange: never }; changed: EventEmitter<void>; provider: Provider; end: () => void } {
  const changed = new EventEmitter<void>();
  const status = { host: HOST as StatusParams | undefined, onDidChange: changed.event as never };
  const announcement = registerMcpProvider({ program: "/bin/zubi" }, status);
  return { status, changed, provider: registered.get("mcp zubi") as Provider, end: () => { announcement.dispose(); } };
}

const parameters = (provider: Provider): unknown => provider.provideMcpServerDefinitions().map((definition) => definition.parameters);

test("the MCP server definition names the host of this window and sets no other environment variable", () => {
  const args = ["--workspace", "/a", "--workspace", "/b c", "--toolsets", "declared,contributed,external", "mcp"];
  expect(parameters(announced().provider)).toEqual([["zubi", "/bin/zubi", args, { ZUBI_INSTANCE: "a1" }, "a1.2"]]);
});

test("a change of the tools or of the host changes the version of the server", () => {
  const { status, provider, changed } = announced();
  let changes = 0;
  provider.onDidChangeMcpServerDefinitions(() => { changes += 1; });
  status.host = { ...HOST, instance: "b2", revision: 3 };
  changed.fire();
  expect(changes).toBe(1);
  expect(parameters(provider)).toEqual([["zubi", "/bin/zubi", expect.anything(), { ZUBI_INSTANCE: "b2" }, "b2.3"]]);
});

test("the provider offers no MCP server without a host or in an untrusted folder", () => {
  const { status, provider } = announced();
  workspace.isTrusted = false;
  expect(parameters(provider)).toEqual([]);
  workspace.isTrusted = true;
  status.host = undefined;
  expect(parameters(provider)).toEqual([]);
});

test("dispose reports an empty list to VS Code before it removes the provider", () => {
  const { provider, end } = announced();
  const seen: unknown[] = [];
  provider.onDidChangeMcpServerDefinitions(() => { seen.push([parameters(provider), registered.has("mcp zubi")]); });
  end();
  expect(seen).toEqual([[[], true]]);
  expect(registered.has("mcp zubi")).toBe(false);
});
