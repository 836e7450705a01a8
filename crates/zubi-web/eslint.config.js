// The lint rules of the chat page; the VS Code extension has its own.
export { page as default } from "../../editors/vscode/eslint.config.js";
