// The rules of the chat page, which stand beside those of the VS Code extension.
export { page as default } from "../../editors/vscode/eslint.config.js";
