// Every name in the manifest exists.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const ROOT = `${import.meta.dirname}/../..`;

function json(path: string): unknown {
  return JSON.parse(readFileSync(`${ROOT}/${path}`, "utf8"));
}

interface Manifest {
  readonly contributes: { readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[] };
}

test("VS Code validates tool files with the published schema", () => {
  const { jsonValidation } = (json("package.json") as Manifest).contributes;
  expect(jsonValidation.map(({ fileMatch }) => fileMatch)).toEqual([
    "/.vscode/agent-tools.json",
    "/.vscode/agent-tools/*.json",
  ]);
  for (const { url } of jsonValidation) {
    expect(json(url)).toMatchObject({ title: "Agent tools", type: "object" });
  }
  // Users of the extension lack a schema that is not in the package.
  expect(readFileSync(`${ROOT}/.vscodeignore`, "utf8")).toContain("!schemas/*.json");
});

const tools: readonly Tool[] = manifest.contributes.languageModelTools;

interface Tool {
  readonly name: string;
  readonly displayName: string;
  readonly modelDescription: string;
  readonly userDescription: string;
  readonly toolReferenceName: string;
  readonly canBeReferencedInPrompt: boolean;
  readonly icon: string;
  readonly tags: readonly string[];
  readonly inputSchema: object;
  readonly when?: string;
}

test("VS Code accepts every tool", () => {
  const known = ["name", "displayName", "modelDescription", "userDescription", "toolReferenceName", "canBeReferencedInPrompt", "icon", "tags", "inputSchema", "when"];
  for (const tool of tools) {
    expect(known, tool.name).toEqual(expect.arrayContaining(Object.keys(tool)));
    expect(tool.name).toMatch(/^(?!copilot_|vscode_)[\w-]+$/);
    expect(tool.toolReferenceName).toMatch(/^[\w-]+$/);
    expect(tool.icon).toMatch(/^\$\([a-z-]+\)$/);
    expect(tool.tags.filter((tag) => /^(copilot_|vscode_)/.test(tag))).toEqual([]);
    expect(tool.inputSchema).toMatchObject({ type: "object" });
    expect(tool.displayName.length * tool.modelDescription.length * tool.userDescription.length).toBeGreaterThan(0);
  }
  for (const names of [tools.map(({ name }) => name), tools.map(({ toolReferenceName }) => toolReferenceName)]) {
    expect(new Set(names).size).toBe(names.length);
  }
});

test("the documented tool names exist, and all other names have the prefix", () => {
  const lsp = ["definition", "references", "hover", "completion", "workspace_symbols", "document_symbols", "rename", "code_actions", "format", "signature_help"];
  const references = new Map(tools.map(({ name, toolReferenceName }) => [toolReferenceName, name]));
  for (const reference of lsp) expect(references.get(reference)).toMatch(/^lsp_/);
  const named = tools.map(({ name }) => name).filter((name) => !name.startsWith("zubi_"));
  expect(named.filter((name) => !name.startsWith("lsp_"))).toEqual([
    "domainlang_validate",
    "domainlang_list",
    "domainlang_get",
    "domainlang_explain",
    "rename_file",
    "set_update_imports_setting",
  ]);
  expect(references.get("renameFile")).toBe("rename_file");
  for (const id of ["editor", "apply_edit", "undo_edit", "rename_symbol", "organize_imports", "get_setting", "set_setting", "find_tools", "call_tool", "lsp_diagnostics"]) {
    expect(tools.map(({ name }) => name)).toContain(`zubi_${id}`);
  }
});

test("DomainLang tools require a model; planning tools name the tool that writes", () => {
  for (const { name, when } of tools) expect([name, when]).toEqual([name, name.includes("domainlang") ? "zubi.hasModels" : undefined]);
  for (const name of ["lsp_rename_symbol", "lsp_code_actions", "lsp_format_document"]) {
    expect(tools.find((tool) => tool.name === name)?.modelDescription).toMatch(/^(Plans .*zubi_apply_edit writes it|.*Writes nothing; zubi_apply_edit)/);
  }
});

/** The first VS Code version with each API, from the typings of each release; data parts (1.106) are not used. */
test("the required VS Code version has every API that the extension uses", () => {
  const [, minor] = /^\^1\.(\d+)\.0$/.exec(manifest.engines.vscode) ?? [];
  const sources = readdirSync(`${ROOT}/src`).map((file) => readFileSync(`${ROOT}/src/${file}`, "utf8")).join("\n");
  for (const [api, since] of [["lm.registerTool", 95], ["McpStdioServerDefinition", 101], ["LanguageModelDataPart", 106]] as const) {
    if (sources.includes(api)) expect(Number(minor), api).toBeGreaterThanOrEqual(since);
  }
  expect(manifest.devDependencies["@types/vscode"]).toBe(`1.${minor ?? ""}.0`);
});
