// The package as users install it, with its bundled program.
import * as assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { callTool, type Case, named } from "./harness.ts";
import { children, commandLine } from "./processes.ts";

export const packaged: readonly Case[] = [
  {
    name: "the installed package runs its bundled program",
    body: async () => {
      const extension = vscode.extensions.getExtension("zubi.zubi");
      assert.ok(extension);
      const program = path.join(extension.extensionPath, "server/zubi");
      accessSync(program, constants.X_OK);
      assert.match(await callTool(named("domainlang_get"), {}), /^\{"summary":/);
      assert.match(await callTool(named("lsp_definition"), { at: "web/src/report.ts:8:15" }), /29:17 {2}export function totalArea\(/);
      assert.equal(children(process.pid).filter((child) => commandLine(child).includes(`${program} lsp`)).length, 1);
    },
  },
];
