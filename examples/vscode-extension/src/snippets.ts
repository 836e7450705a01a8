// Several tools of one origin: text snippets that are stored for the workspace.
import * as vscode from "vscode";
import type { ToolContext, ToolDefinition, ToolProvider, ToolResult } from "zubi";

const KEY = "snippets";

export class Snippets implements ToolProvider {
  readonly id = "snippets";
  readonly name = "Snippets";
  readonly #changed = new vscode.EventEmitter<unknown>();
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Fires after `add`, because that changes the description of `find`. */
  readonly onDidChangeTools = this.#changed.event;

  getTools(): ToolDefinition[] {
    const names = Object.keys(this.#all());
    const known = names.length === 0 ? "No snippet exists yet." : `There are: ${names.join(", ")}.`;
    return [
      {
        id: "snippets.find",
        name: "Find Snippet",
        description: `The text of a snippet that was saved in this workspace. ${known}`,
        parameters: {
          type: "object",
          properties: { name: { type: "string", description: "Its name." } },
          required: ["name"],
        },
        execution: { type: "function", handler: "snippets.find" },
        metadata: { category: "text", requiresApproval: false },
      },
      {
        id: "snippets.add",
        name: "Add Snippet",
        description: "Saves a text in this workspace under a name; replaces the one that had the name.",
        parameters: {
          type: "object",
          properties: {
            name: { type: "string", description: "Its name." },
            text: { type: "string", description: "The text." },
          },
          required: ["name", "text"],
        },
        execution: { type: "function", handler: "snippets.add" },
        // Each call needs the user's approval.
        metadata: { category: "text", requiresApproval: true },
      },
    ];
  }

  async executeTool(toolId: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    // zubi has checked the arguments against the schema.
    const { name, text } = args as { name: string; text?: string };
    const all = this.#all();
    if (toolId === "snippets.find") {
      const found = all[name];
      if (found === undefined) return { success: false, error: `There is no snippet ${name}: add it with snippets.add.` };
      return { success: true, data: found };
    }
    await this.#state.update(KEY, { ...all, [name]: text });
    context.log(`snippet ${name} is saved`);
    this.#changed.fire(undefined);
    return { success: true, data: `Saved ${name}.` };
  }

  /** Called when the provider is removed. */
  dispose(): void {
    this.#changed.dispose();
  }

  #all(): Readonly<Record<string, string>> {
    return this.#state.get(KEY, {});
  }
}
