// How the server and the host of this window are doing: the item in the status bar, and the context keys of `package.json`.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { Part } from "./channel.ts";
import { STATUS, type StatusParams } from "./protocol.ts";

const ICONS = { starting: "loading~spin", running: "plug", stopped: "debug-disconnect", problem: "warning" } as const;
type Condition = keyof typeof ICONS;

const CONDITIONS: Readonly<Record<State, Condition>> = {
  [State.Starting]: "starting", [State.Running]: "running", [State.Stopped]: "stopped", [State.StartFailed]: "stopped",
};

/** What is known of the server and of its host. */
export class Status implements Part {
  /** While the server runs. */
  host: StatusParams | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly item = vscode.window.createStatusBarItem("zubi.status", vscode.StatusBarAlignment.Right);
  #condition: Condition = "stopped";
  #problem: string | undefined;

  constructor() {
    Object.assign(this.item, { name: "zubi", command: "zubi.showMenu" }).show();
  }

  attach(client: LanguageClient): vscode.Disposable {
    this.#problem = undefined;
    this.#became("starting");
    return vscode.Disposable.from(
      client.onDidChangeState(({ newState }) => { this.#became(CONDITIONS[newState]); }),
      client.onNotification(STATUS, (host: StatusParams) => { this.#became("running", host); }),
      { dispose: () => { this.#became("stopped"); } },
    );
  }

  /** Something keeps the server from running, or from running as it should. */
  failed(problem: string): void {
    this.#problem = problem;
    this.#became(this.#condition);
  }

  #became(condition: Condition, host = condition === "running" ? this.host : undefined): void {
    this.#condition = condition;
    this.host = host;
    const problem = this.#problem ?? host?.problem;
    this.item.text = `$(${ICONS[problem === undefined ? condition : "problem"]}) zubi`;
    const about = host === undefined ? [] : [`${host.tools} tools, port ${host.port ?? "none"}`];
    const clients = host?.clients.map(({ name }) => `Attached: ${name}`) ?? [];
    this.item.tooltip = [problem ?? `The language server is ${condition}.`, ...about, ...clients].join("\n");
    void vscode.commands.executeCommand("setContext", "zubi.running", condition === "running");
    void vscode.commands.executeCommand("setContext", "zubi.hasModels", host?.hasModels === true);
    this.#changed.fire();
  }
}
