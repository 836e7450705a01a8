// A sample extension that contributes tools to zubi, for every agent that is connected to the window.
import * as vscode from "vscode";
import type { ZubiApi } from "zubi";
import { Snippets } from "./snippets.ts";

/** Registers the tools once zubi, a dependency in `package.json`, is active. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const zubi = await vscode.extensions.getExtension<ZubiApi>("zubi.zubi")?.activate();
  if (zubi === undefined) throw new Error("the extension zubi is not installed");
  context.subscriptions.push(registerWordCount(zubi), zubi.registerToolProvider(new Snippets(context.workspaceState)));
}

/** A single tool: it reads the user's active file, which only an extension can. */
function registerWordCount(zubi: ZubiApi): vscode.Disposable {
  return zubi.registerTool(
    {
      id: "words.count",
      name: "Count Words",
      description: "Counts the words of a text, or of the file that the user looks at, unsaved changes included.",
      parameters: {
        type: "object",
        properties: { text: { type: "string", description: "The text. If omitted, the active file." } },
      },
      execution: { type: "function", handler: "words.count" },
      // The tool changes nothing, so it needs no approval.
      metadata: { category: "text", requiresApproval: false },
    },
    ({ text }, { activeEditor }) => {
      const counted = typeof text === "string" ? text : activeEditor?.document.getText();
      if (counted === undefined) return { success: false, error: "No file is active: pass `text`, or open a file." };
      return { success: true, data: { words: counted.split(/\s+/).filter((word) => word !== "").length } };
    },
  );
}
