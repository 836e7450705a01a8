// The time that zubi adds to the editor's own answer, measured inside the extension host. The measuring program
// (`bench/src/window.rs`) sets the number of rounds and reads the figures.
import * as assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { ZubiApi } from "../../../api/zubi.d.ts";
import { callTool, type Case, file } from "./harness.ts";

/** The milliseconds of each request of a kind. */
type Figures = Record<string, number[]>;

const REPORT = "web/src/report.ts";

/** One request through a language model tool, and through the API alone. */
const PATHS = {
  bare: async () => {
    // A character with two UTF-16 units precedes the position in its line.
    const position = new vscode.Position(7, 15);
    const locations = await vscode.commands.executeCommand<unknown[]>("vscode.executeDefinitionProvider", file(REPORT), position);
    return locations.length > 0;
  },
  tool: async () => (await callTool("lsp_definition", { at: `${REPORT}:8:15` })).includes("29:17"),
  call: async () => JSON.stringify(await zubi().executeTool("lsp_definition", { at: `${REPORT}:8:15` })).includes("29:17"),
  // The round trip to the program without a request to the editor.
  nothing: async () => (await callTool("domainlang_get", {})).startsWith('{"summary":'),
} satisfies Record<string, () => Promise<boolean>>;

export const bench: readonly Case[] = [
  {
    name: "the measurements are recorded",
    body: async () => {
      const { rounds, restarts } = JSON.parse(readFileSync(file("bench.json").fsPath, "utf8")) as Record<string, number>;
      const figures: Figures = { activation: [activation()] };
      await vscode.window.showTextDocument(file(REPORT));
      // Waits until the editor's own server has loaded the project; the time limit of the case ends the loop.
      while (!(await PATHS.bare()) || !(await PATHS.tool()));
      for (let round = -20; round < (rounds ?? 0); round += 1) {
        // The paths alternate in a changing order; the first rounds are a warm-up.
        const paths = Object.entries(PATHS);
        for (const [name, query] of round % 2 === 0 ? paths : paths.reverse()) {
          const duration = await timed(query);
          if (round >= 0) (figures[name] ??= []).push(duration);
        }
      }
      for (let restart = 0; restart < (restarts ?? 0); restart += 1) {
        const duration = await timed(async () => {
          await vscode.commands.executeCommand("zubi.restart");
          return PATHS.nothing();
        });
        (figures["restart"] ??= []).push(duration);
      }
      writeFileSync(file("figures.json").fsPath, JSON.stringify(figures));
    },
  },
];

async function timed(query: () => Promise<boolean>): Promise<number> {
  const startTime = performance.now();
  const isRight = await query();
  const duration = performance.now() - startTime;
  assert.ok(isRight, "a question was answered in another way than it should be");
  return duration;
}

function zubi(): ZubiApi {
  const extension = vscode.extensions.getExtension<ZubiApi>("zubi.zubi");
  assert.ok(extension?.isActive);
  return extension.exports;
}

/** The time that VS Code took to load and activate the extension, by its own marks. */
function activation(): number {
  const { MonacoPerformanceMarks: marks } = globalThis as unknown as {
    readonly MonacoPerformanceMarks: { getMarks(): readonly { readonly name: string; readonly startTime: number }[] };
  };
  const at = (mark: string): number | undefined =>
    marks.getMarks().find(({ name }) => name === `code/extHost/${mark}/zubi.zubi`)?.startTime;
  return (at("didActivateExtension") ?? NaN) - (at("willLoadExtensionCode") ?? NaN);
}
