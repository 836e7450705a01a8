// The unit tests run in Node; the module `vscode`, which exists only inside the editor, is a stub there.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/units/**/*.test.ts", "tests/page/**/*.test.ts"],
    alias: { vscode: `${import.meta.dirname}/tests/units/vscode.ts` },
  },
});
