// The program is missing: the rest of the editor works, and the tools report that.
import * as assert from "node:assert/strict";
import { callTool, type Case } from "./harness.ts";

export const missing: readonly Case[] = [
  {
    name: "without the program every tool reports an error as text",
    body: async () => {
      for (const tool of ["domainlang_validate", "domainlang_get", "lsp_definition"]) {
        const text = await callTool(tool, {});
        assert.match(text, new RegExp(`^Error in ${tool}: the zubi language server is not running\\. `));
      }
    },
  },
];
