// The status of the server and the host of this window: the item in the status bar, and the context keys of
// `package.json`.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { ChannelFeature } from "./channel.ts";
import { STATUS, type StatusParams } from "./protocol.ts";

/** The icon and the word for each state. */
const APPEARANCES = new Map([
  [State.Starting, ["loading~spin", "starting"]],
  [State.Running, ["plug", "running"]],
]);
const STOPPED = ["debug-disconnect", "stopped"];

/** The state of the server and of its host. */
export class Status implements ChannelFeature {
  /** The host's status, while the server runs. */
  host: StatusParams | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly item = vscode.window.createStatusBarItem("zubi.status", vscode.StatusBarAlignment.Right);
  #state = State.Stopped;
  #problem: string | undefined;

  constructor() {
    Object.assign(this.item, { name: "zubi", command: "zubi.showMenu" }).show();
  }

  attach(client: LanguageClient): vscode.Disposable {
    this.#problem = undefined;
    this.#update(State.Starting);
    return vscode.Disposable.from(
      client.onDidChangeState(({ newState }) => {
        this.#update(newState);
      }),
      client.onNotification(STATUS, (host: StatusParams) => {
        this.#update(State.Running, host);
      }),
      {
        dispose: () => {
          this.#update(State.Stopped);
        },
      },
    );
  }

  /** Reports a problem that prevents the server from running properly. */
  reportProblem(problem: string): void {
    this.#problem = problem;
    this.#update(this.#state);
  }

  #update(state: State, host = state === State.Running ? this.host : undefined): void {
    this.#state = state;
    this.host = host;
    const problem = this.#problem ?? host?.problem;
    const [icon = "", text = ""] = APPEARANCES.get(state) ?? STOPPED;
    this.item.text = `$(${problem === undefined ? icon : "warning"}) zubi`;
    const lines = host && [
      `${host.tools} tools, port ${host.port ?? "none"}`,
      ...host.clients.map(({ name }) => `Attached: ${name}`),
    ];
    this.item.tooltip = [problem ?? `The language server is ${text}.`, ...(lines ?? [])].join("\n");
    void vscode.commands.executeCommand("setContext", "zubi.running", state === State.Running);
    void vscode.commands.executeCommand("setContext", "zubi.hasModels", host?.hasModels === true);
    this.#changed.fire();
  }
}
