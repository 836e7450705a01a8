// The rules of the VS Code extension; node:test's tests do not need `await`.
import rules from "../../../editors/vscode/eslint.config.js";

const test = { from: "package", name: "test", package: "node:test" };

export default [
  ...rules,
  {
    files: ["**/*.test.ts"],
    rules: { "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [test] }] },
  },
];
