// The API for other extensions (`api/zubi.d.ts`): they contribute tools to zubi and call zubi's.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { ToolContext, ToolDefinition, ToolHandler, ToolProvider, ToolResult, ZubiApi } from "../api/zubi.d.ts";
import type { ChannelFeature } from "./channel.ts";
import { failure, message, sendable, withoutLinks } from "./failure.ts";
import * as protocol from "./protocol.ts";
import type { RequestSender } from "./tools.ts";

/** One tool that an extension has registered, with the names under which tool files call it. */
type Contribution = Readonly<{ tool: protocol.ContributedTool; functions: readonly string[]; run: ToolHandler }>;

/** The contributions of extensions. They outlive servers: each new server receives all of them. */
export class Contributions implements ChannelFeature {
  readonly #contributions = new Map<string, Contribution>();
  readonly #toolAdded = new vscode.EventEmitter<ToolDefinition>();
  readonly #toolRemoved = new vscode.EventEmitter<string>();
  #client: LanguageClient | undefined;
  /** Registrations and removals, in order. */
  #registrations: Promise<unknown> = Promise.resolve();

  attach(client: LanguageClient): vscode.Disposable {
    this.#client = client;
    // The previous registration may never have been answered.
    this.#registrations = Promise.resolve();
    return vscode.Disposable.from(
      client.onRequest(protocol.INVOKE_CONTRIBUTED, this.#invoke.bind(this, client)),
      client.onNotification(protocol.TOOLS_DID_CHANGE, ({ added, removed }: protocol.ToolsDidChangeParams) => {
        for (const id of removed) this.#toolRemoved.fire(id);
        for (const spec of added) this.#toolAdded.fire(toDefinition(spec));
      }),
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running)
          for (const contribution of this.#contributions.values()) this.#notify(protocol.TOOLS_REGISTER, contribution);
      }),
    );
  }

  api(server: RequestSender): ZubiApi {
    return {
      version: "1.0.0",
      registerTool: (definition, handler) => this.#add(definition, handler),
      registerToolProvider: (provider) => this.#registerProvider(provider),
      getTools: async () =>
        (await server.request<protocol.ToolsListResult>(protocol.TOOLS_LIST, null)).tools.map(toDefinition),
      executeTool: async (id, args) => {
        const startTime = performance.now();
        const {
          text,
          isError,
          data = text,
        } = await server
          .request<protocol.ToolsCallResult>(protocol.TOOLS_CALL, { id, args })
          .catch((error: unknown) => ({ text: failure(id, error), isError: true, data: undefined }));
        const metadata = { duration: performance.now() - startTime };
        return isError ? { success: false, error: text, metadata } : { success: true, data, metadata };
      },
      runAgent: async (task, { systemPrompt: instructions, toolFilter: tools, model, maxIterations } = {}, token) => {
        const params = { task, instructions, tools, model, maxIterations };
        const {
          reason,
          text,
          problem = "",
        } = await server.request<protocol.AgentRunResult>(protocol.AGENT_RUN, params, token);
        if (reason !== "completed")
          throw new Error([`zubi: the agent has not finished (${reason}).`, problem, text].filter(Boolean).join("\n"));
        return text;
      },
      onDidRegisterTool: this.#toolAdded.event,
      onDidUnregisterTool: this.#toolRemoved.event,
    };
  }

  #add(
    { id, name: title, description, parameters: input, execution, metadata }: ToolDefinition,
    run: ToolHandler,
  ): vscode.Disposable {
    if (!/^[\w-]+(\.[\w-]+)+$/.test(id)) throw new Error(`zubi: "${id}" is not a valid tool id: use namespace.name`);
    if (typeof run !== "function") throw new Error(`zubi: the tool ${id} has no handler`);
    if (this.#contributions.has(id)) throw new Error(`zubi: a tool ${id} is registered already`);
    const { category, tags, timeout, effect, requiresApproval } = metadata ?? {};
    const tool = {
      id,
      title,
      description,
      input,
      category,
      tags,
      timeout,
      effect,
      requiresApproval,
    } as protocol.ContributedTool;
    const usedNames = [...this.#contributions.values()].flatMap(({ functions }) => functions);
    const functions =
      execution.type === "function" && !usedNames.includes(execution.handler) ? [execution.handler] : [];
    const contribution = { tool, functions, run };
    this.#contributions.set(id, contribution);
    this.#notify(protocol.TOOLS_REGISTER, contribution);
    return new vscode.Disposable(() => {
      this.#contributions.delete(id);
      this.#notify(protocol.TOOLS_UNREGISTER, contribution);
    });
  }

  #registerProvider(provider: ToolProvider): vscode.Disposable {
    const registered: vscode.Disposable[] = [];
    let latest: symbol | undefined;
    const clear = (): void => {
      for (const tool of registered.splice(0)) tool.dispose();
    };
    const load = (): Promise<void> =>
      this.#attempt(async () => {
        const current = Symbol();
        latest = current;
        const tools = await provider.getTools();
        // The provider has reported another change meanwhile, or has been disposed.
        if (current !== latest) return;
        clear();
        for (const tool of tools) {
          void this.#attempt(() =>
            registered.push(this.#add(tool, (...call) => provider.executeTool(tool.id, ...call))),
          );
        }
      }, `zubi: the tools of ${provider.name} are not known: `);
    void load();
    const changes = provider.onDidChangeTools?.(load);
    return new vscode.Disposable(() => {
      latest = undefined;
      changes?.dispose();
      clear();
      provider.dispose?.();
    });
  }

  /** Notifies the running server; a later one receives all contributions when it starts. */
  #notify(
    method: typeof protocol.TOOLS_REGISTER | typeof protocol.TOOLS_UNREGISTER,
    { tool, functions }: Contribution,
  ): void {
    const client = this.#client;
    if (client?.state !== State.Running) return;
    const params = { tools: [method === protocol.TOOLS_REGISTER ? tool : tool.id], functions };
    // A server that has ended cannot refuse a contribution.
    const send = (): Promise<unknown> =>
      client.sendRequest(method, params).catch((error: unknown) => {
        if (client.state === State.Running) throw error;
      });
    this.#registrations = this.#registrations.then(() =>
      this.#attempt(send, `zubi: the tool ${tool.id} is not registered: `),
    );
  }

  async #invoke(
    client: LanguageClient,
    { tool, function: name = "", arguments: args, token }: protocol.InvokeContributedParams,
    cancellationToken: vscode.CancellationToken,
  ): Promise<protocol.InvokeResult> {
    const contribution = [...this.#contributions.values()].find(
      (candidate) => candidate.tool.id === tool || candidate.functions.includes(name),
    );
    let percentage = 0;
    try {
      if (contribution === undefined) throw new Error("no extension has it registered any more");
      return toInvokeResult(
        await contribution.run(
          args as Record<string, unknown>,
          {
            workspaceFolder: vscode.workspace.workspaceFolders?.[0],
            activeEditor: vscode.window.activeTextEditor,
            cancellationToken,
            progress: {
              report: ({ message, increment = 0 }) => {
                percentage = Math.min(100, percentage + increment);
                void client.sendNotification("$/progress", { token, value: { kind: "report", message, percentage } });
              },
            },
            log: (text) => {
              client.outputChannel.appendLine(`${contribution.tool.id}: ${text}`);
            },
          } as ToolContext,
        ),
      );
    } catch (error) {
      return { success: false, error: message(error) };
    }
  }

  /** Runs the action; reports a failure in the log and in a message. */
  async #attempt(action: () => unknown, prefix = ""): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#client?.outputChannel.appendLine(prefix + message(error));
      void vscode.window.showErrorMessage(withoutLinks(prefix + message(error)));
    }
  }
}

/** Converts a result into one that can be sent. Extensions may return anything. */
function toInvokeResult(result: unknown): protocol.InvokeResult {
  const { success, data, error = "it gave no reason" } = (result ?? {}) as Partial<Record<keyof ToolResult, unknown>>;
  if (typeof success !== "boolean") throw new Error("its result is not of the form { success, data }");
  return success ? { success, data: sendable(data) } : { success, error: message(error) };
}

function toDefinition({ id, title: name, description, inputSchema, ...fields }: protocol.ToolSpec): ToolDefinition {
  const { effect, category = "", tags = [], icon } = fields;
  const metadata = { effect, category, tags: [...tags], ...(icon !== undefined && { icon }) };
  const parameters = inputSchema as unknown as ToolDefinition["parameters"];
  return { id, name, description, parameters, execution: { type: "function", handler: id }, metadata };
}
