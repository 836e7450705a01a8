// The rules of the VS Code extension.
import rules from "../../editors/vscode/eslint.config.js";

export default rules;
