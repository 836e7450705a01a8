// The chat view: the page of `zubi web` in a view. It forwards requests and events unchanged.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { ChannelFeature } from "./channel.ts";
import { message, withoutLinks } from "./failure.ts";
import * as protocol from "./protocol.ts";
import type { RequestSender } from "./tools.ts";

/** A command for the page (`crates/zubi-web/page/transport.js`). */
export type ChatCommand = Readonly<{ do: "new" | "focus" } | { do: "open"; conversation: string }>;

export class Chat implements ChannelFeature, vscode.WebviewViewProvider {
  readonly #server: RequestSender;
  readonly #page: vscode.Uri;
  #view: vscode.WebviewView | undefined;
  /** Whether the visible page listens; while it does not, the last command waits. */
  #isPageReady = false;
  #pendingCommand: ChatCommand | undefined;

  /** `page` is the directory with the page's files. */
  constructor(server: RequestSender, page: vscode.Uri) {
    this.#server = server;
    this.#page = page;
  }

  attach(client: LanguageClient): vscode.Disposable {
    return vscode.Disposable.from(
      client.onRequest(protocol.AGENT_EVENTS, this.#forwardEvents.bind(this)),
      client.onDidChangeState(({ newState }) => {
        // Requests that arrive while the server starts wait for it.
        if (newState === State.Running) this.#post({ fresh: true });
        else if (newState === State.Stopped) this.#post({ away: "The zubi language server does not run." });
      }),
    );
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const { webview } = view;
    this.#view = view;
    this.#isPageReady = false;
    webview.options = { enableScripts: true, localResourceRoots: [this.#page] };
    webview.onDidReceiveMessage((data) => this.#handleMessage(webview, data as object));
    // VS Code destroys a hidden page and creates it again when it is shown; zubi stores the conversations.
    view.onDidChangeVisibility(() => {
      this.#isPageReady &&= view.visible;
    });
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    const html = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#page, "index.html"));
    const { cspSource: source } = webview;
    const policy = [
      "default-src 'none'",
      `script-src ${source}`,
      `style-src ${source}`,
      `img-src ${source} data:`,
      `base-uri ${source}`,
      "form-action 'none'",
    ].join("; ");
    const base = String(webview.asWebviewUri(this.#page));
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><base href="${base}/">`;
    webview.html = new TextDecoder().decode(html).replace("<head>", () => `<head>${head}`);
  }

  /** Shows the view, whose page then executes the command. */
  async execute(command: ChatCommand): Promise<void> {
    this.#pendingCommand = command;
    await vscode.commands.executeCommand("zubi.chat.focus");
    this.#sendCommand();
  }

  /** Stops the running turns of every conversation. */
  async stop(): Promise<void> {
    const { conversations } = await this.#request<{ conversations: readonly { id: string; state: string }[] }>(
      "conversations",
      {},
    );
    const active = conversations.filter(({ state }) => state === "running" || state === "waiting");
    await Promise.all(active.map(({ id: conversation }) => this.#request("stop", { conversation })));
  }

  #request<Result>(method: string, params: unknown): Promise<Result> {
    return this.#server.request(protocol.AGENT_REQUEST, { method, params });
  }

  /** Handles a message of the page. */
  async #handleMessage(
    webview: vscode.Webview,
    data: Readonly<Partial<{ ready: boolean; id: number; method: string; params: unknown }>>,
  ): Promise<void> {
    const { ready, id, method = "", params } = data;
    if (ready === true) {
      this.#isPageReady = true;
      this.#post({ fresh: true });
      this.#sendCommand();
    } else {
      const answer = this.#request(method, params).then(
        (result) => ({ id, result }),
        (error: unknown) => ({ id, error: message(error) }),
      );
      // A disposed view does not receive the response.
      await webview.postMessage(await answer).then(undefined, () => false);
    }
  }

  #forwardEvents({ isFresh, told: events, waits: prompt }: protocol.AgentEventsParams): null {
    if (isFresh) this.#post({ fresh: true });
    for (const event of events) this.#post({ told: event });
    if (prompt !== undefined && this.#view?.visible !== true) void this.#showReminder(prompt);
    return null;
  }

  async #showReminder({ conversation, text }: protocol.WaitingQuestion): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(withoutLinks(text), "Show in Chat");
    if (chosen !== undefined) await this.execute({ do: "open", conversation });
  }

  #sendCommand(): void {
    if (!this.#isPageReady || this.#pendingCommand === undefined) return;
    this.#post({ wish: this.#pendingCommand });
    this.#pendingCommand = undefined;
  }

  #post(data: object): void {
    if (this.#isPageReady) void this.#view?.webview.postMessage(data);
  }
}
