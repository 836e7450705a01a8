// The eslint rules for the TypeScript: the strict ones that use types.
import eslint from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  globalIgnores(["dist", "node_modules", "*.js"]),
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-console": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    // The stub's values replace the editor's own.
    files: ["tests/units/**"],
    rules: { "@typescript-eslint/no-unsafe-class-instance-assignment": "off" },
  },
);

// The browser globals of the chat page's scripts.
const BROWSER = [
  "AbortController", "Blob", "HTMLElement", "ResizeObserver", "TextDecoderStream", "URL", "URLSearchParams", "clearTimeout", "document",
  "fetch", "history", "location", "navigator", "requestAnimationFrame", "sessionStorage", "setTimeout", "window",
];

// The eslint rules for those scripts in crates/zubi-web. They are JavaScript, whose types tsc checks.
export const page = defineConfig(eslint.configs.recommended, {
  languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
  rules: { "no-console": "error" },
});
