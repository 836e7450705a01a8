// What eslint holds the TypeScript to: the strict rules that know types.
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
    // Values of the stub stand for the editor's own.
    files: ["tests/units/**"],
    rules: { "@typescript-eslint/no-unsafe-class-instance-assignment": "off" },
  },
);

// What the scripts of the chat page use of a browser.
const BROWSER = [
  "AbortController", "Blob", "HTMLElement", "ResizeObserver", "TextDecoderStream", "URL", "URLSearchParams", "clearTimeout", "document",
  "fetch", "history", "location", "navigator", "requestAnimationFrame", "sessionStorage", "setTimeout", "window",
];

// What eslint holds those scripts to, which stand in crates/zubi-web. They are JavaScript, whose types tsc checks.
export const page = defineConfig(eslint.configs.recommended, {
  languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
  rules: { "no-console": "error" },
});
