// The chat view: the page of `zubi web` in a view. Its requests and events pass through here unchanged.
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import type { Part } from "./channel.ts";
import { message, unlinked } from "./failure.ts";
import * as protocol from "./protocol.ts";
import type { Asks } from "./tools.ts";

/** A command for the page (`crates/zubi-web/page/transport.js`). */
export type Wish = Readonly<{ do: "new" | "focus" } | { do: "open"; conversation: string }>;

export class Chat implements Part, vscode.WebviewViewProvider {
  readonly #server: Asks;
  readonly #page: vscode.Uri;
  #view: vscode.WebviewView | undefined;
  /** Whether the page that is shown listens; while it does not, the last wish waits. */
  #listens = false;
  #wish: Wish | undefined;

  /** `page` is the directory with the page's files. */
  constructor(server: Asks, page: vscode.Uri) {
    this.#server = server;
    this.#page = page;
  }

  attach(client: LanguageClient): vscode.Disposable {
    return vscode.Disposable.from(
      client.onRequest(protocol.AGENT_TOLD, this.#take.bind(this)),
      client.onDidChangeState(({ newState }) => {
        this.#post(newState === State.Running ? { fresh: true } : { away: "The zubi language server does not run." });
      }),
    );
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const { webview } = view;
    this.#view = view;
    this.#listens = false;
    webview.options = { enableScripts: true, localResourceRoots: [this.#page] };
    webview.onDidReceiveMessage((said) => this.#hear(webview, said as object));
    // A hidden page is destroyed, and created again when it is shown: zubi stores the conversations.
    view.onDidChangeVisibility(() => {
      this.#listens &&= view.visible;
    });
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    const html = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#page, "index.html"));
    const { cspSource: own } = webview;
    const policy = `default-src 'none'; script-src ${own}; style-src ${own}; img-src ${own} data:; base-uri ${own}; form-action 'none'`;
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><base href="${String(webview.asWebviewUri(this.#page))}/">`;
    webview.html = new TextDecoder().decode(html).replace("<head>", () => `<head>${head}`);
  }

  /** Shows the view, whose page then executes the command. */
  async wish(wish: Wish): Promise<void> {
    this.#wish = wish;
    await vscode.commands.executeCommand("zubi.chat.focus");
    this.#grant();
  }

  /** Stops the running turns of every conversation. */
  async stop(): Promise<void> {
    const { conversations } = await this.#request<{ conversations: readonly { id: string; state: string }[] }>(
      "conversations",
      {},
    );
    const busy = conversations.filter(({ state }) => state === "running" || state === "waiting");
    await Promise.all(busy.map(({ id: conversation }) => this.#request("stop", { conversation })));
  }

  #request<Result>(method: string, params: unknown): Promise<Result> {
    return this.#server.request(protocol.AGENT_REQUEST, { method, params });
  }

  /** Handles a message of the page. */
  async #hear(
    webview: vscode.Webview,
    said: Readonly<Partial<{ ready: boolean; id: number; method: string; params: unknown }>>,
  ): Promise<void> {
    const { ready, id, method = "", params } = said;
    if (ready === true) {
      this.#listens = true;
      this.#post({ fresh: true });
      this.#grant();
    } else {
      const answer = this.#request(method, params).then(
        (result) => ({ id, result }),
        (error: unknown) => ({ id, error: message(error) }),
      );
      // A disposed view does not receive the response.
      await webview.postMessage(await answer).then(undefined, () => false);
    }
  }

  #take({ isFresh, told, waits }: protocol.AgentToldParams): null {
    if (isFresh) this.#post({ fresh: true });
    for (const one of told) this.#post({ told: one });
    if (waits !== undefined && this.#view?.visible !== true) void this.#remind(waits);
    return null;
  }

  async #remind({ conversation, text }: protocol.WaitingQuestion): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(unlinked(text), "Show in Chat");
    if (chosen !== undefined) await this.wish({ do: "open", conversation });
  }

  #grant(): void {
    if (!this.#listens || this.#wish === undefined) return;
    this.#post({ wish: this.#wish });
    this.#wish = undefined;
  }

  #post(said: object): void {
    if (this.#listens) void this.#view?.webview.postMessage(said);
  }
}
