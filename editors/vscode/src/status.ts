// How the server and the host of this window are doing: the item in the status bar, and the context keys of `package.json`.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { Part } from "./channel.ts";
import { STATUS, type StatusParams } from "./protocol.ts";

const ICONS = { starting: "loading~spin", running: "plug", stopped: "debug-disconnect", problem: "warning" } as const;

/** What is known of the server and of its host. */
export class Status implements Part, vscode.Disposable {
  /** While the server runs. */
  host: StatusParams | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #item = vscode.window.createStatusBarItem("zubi.status", vscode.StatusBarAlignment.Right);
  #state: keyof typeof ICONS = "stopped";
  #problem: string | undefined;

  constructor() {
    this.#item.name = "zubi";
    this.#item.command = "zubi.showMenu";
    this.#item.show();
  }

  /** Something keeps the server from running, or from running as it should. */
  failed(problem: string): void {
    this.#problem = problem;
    this.#became(this.#state);
  }

  attach(client: LanguageClient): vscode.Disposable {
    this.#problem = undefined;
    this.#became("starting");
    return vscode.Disposable.from(
      client.onDidChangeState(({ newState }) => {
        this.#became(newState === State.Running ? "running" : newState === State.Starting ? "starting" : "stopped");
      }),
      client.onNotification(STATUS, (host: StatusParams) => { this.#became("running", host); }),
      { dispose: () => { this.#became("stopped"); } },
    );
  }

  dispose(): void {
    this.#item.dispose();
    this.#changed.dispose();
  }

  #became(state: keyof typeof ICONS, host = state === "running" ? this.host : undefined): void {
    this.#state = state;
    this.host = host;
    const problem = this.#problem ?? host?.problem;
    this.#item.text = `$(${ICONS[problem === undefined ? state : "problem"]}) zubi`;
    this.#item.tooltip = [
      problem ?? `The language server is ${state === "stopped" ? "not running" : state}.`,
      ...(host === undefined ? [] : [`${host.tools} tools, port ${host.port ?? "none"}`]),
      ...(host?.clients.map(({ name }) => `Attached: ${name}`) ?? []),
    ].join("\n");
    void vscode.commands.executeCommand("setContext", "zubi.running", state === "running");
    void vscode.commands.executeCommand("setContext", "zubi.hasModels", host?.hasModels === true);
    this.#changed.fire();
  }
}
