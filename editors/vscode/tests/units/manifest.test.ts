// What the manifest names is there.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = `${import.meta.dirname}/../..`;

function json(path: string): unknown {
  return JSON.parse(readFileSync(`${ROOT}/${path}`, "utf8"));
}

interface Manifest {
  readonly contributes: { readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[] };
}

test("tool files are checked with the published schema", () => {
  const { jsonValidation } = (json("package.json") as Manifest).contributes;
  expect(jsonValidation.map(({ fileMatch }) => fileMatch)).toEqual([
    "/.vscode/agent-tools.json",
    "/.vscode/agent-tools/*.json",
  ]);
  for (const { url } of jsonValidation) {
    expect(json(url)).toMatchObject({ title: "Agent tools", type: "object" });
  }
  // A schema that is not packed is not there for whoever installs the extension.
  expect(readFileSync(`${ROOT}/.vscodeignore`, "utf8")).toContain("!schemas/*.json");
});
