// @ts-check
// The page's connection to zubi: HTTP in a browser, messages in a view of VS Code. The rest of the page does not depend
// on the kind of connection.
//
// In VS Code, the page and the extension exchange these objects:
//
//   page → extension   `{ready: true}`                   the page receives messages now
//                      `{id, method, params}`            a request, as in `zubi_agent::wire`
//   extension → page   `{id, result}` or `{id, error}`   its response; `error` is a text for the user
//                      `{told}`                          an event: `wire::ConversationEvent`
//                      `{fresh: true}`                   the event stream begins, or events were lost
//                      `{away: "why"}`                   zubi is not available
//                      `{wish}`                          a command of the editor, see `ChatCommand`

/**
 * A command of the editor to the page.
 *
 * @typedef {{do: "new"} | {do: "focus"} | {do: "open", conversation: string}} ChatCommand
 */

/**
 * Receives events.
 *
 * @typedef {object} Listener
 * @property {(message: {conversation: string, event: any}) => void} onEvent
 * @property {() => void} onReload The event stream begins; the page must request the earlier events.
 * @property {(reason: string) => void} onUnavailable There are no events until the next `onReload`.
 * @property {(command: ChatCommand) => void} onCommand
 */

/**
 * @typedef {object} Transport
 * @property {"web" | "editor"} kind
 * @property {(method: string, params?: unknown) => Promise<any>} request Fails with an `Error` whose message is for the
 *   user.
 * @property {(listener: Listener) => void} listen Called once.
 * @property {() => Record<string, any>} loadState The state that the page stored when it was last shown.
 * @property {(state: Record<string, any>) => void} storeState Stores the state as long as the tab, or the view, exists.
 */

/** Keys in the session storage. */
const TOKEN = "zubi.token";
const STATE_KEY = "zubi.state";

/** Milliseconds before the first attempt to reconnect; doubled for each further one. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;
/** The server sends something at least every 15 seconds. */
const SILENCE_TIMEOUT_MS = 40_000;

const NO_TOKEN =
  "This page has no valid token. Open the whole address that `zubi web` printed, including the part after the `#`.";
const NOT_RUNNING = "zubi does not answer. Start `zubi web` again, and open the address that it prints.";

/** @returns {Transport} */
export function connect() {
  const api = /** @type {any} */ (globalThis).acquireVsCodeApi;
  return typeof api === "function" ? new EditorTransport(api()) : new WebTransport();
}

/** Requests and one stream of events over HTTP. @implements {Transport} */
class WebTransport {
  /** @type {"web"} */
  kind = "web";
  #token = takeToken();
  #wait = FIRST_WAIT;

  /** @param {string} method @param {unknown} [params] */
  async request(method, params = {}) {
    const headers = { ...this.#authorization(), "content-type": "application/json" };
    /** @type {Response} */
    let response;
    try {
      response = await fetch(`api/${method}`, { method: "POST", headers, body: JSON.stringify(params) });
    } catch {
      throw new Error(NOT_RUNNING);
    }
    if (response.status === 401) throw new Error(NO_TOKEN);
    const answer = await response.json().catch(() => null);
    if (!response.ok) throw new Error(answer?.error ?? `zubi answered with status ${response.status}.`);
    return answer;
  }

  /** @param {Listener} listener */
  listen(listener) {
    void this.#connectForever(listener);
  }

  loadState() {
    return parseState(sessionStorage.getItem(STATE_KEY));
  }

  /** @param {Record<string, any>} state */
  storeState(state) {
    sessionStorage.setItem(STATE_KEY, JSON.stringify(state));
  }

  #authorization() {
    return { authorization: `Bearer ${this.#token}` };
  }

  /** @param {Listener} listener */
  async #connectForever(listener) {
    for (;;) {
      const reason = await this.#stream(listener).catch(() => NOT_RUNNING);
      listener.onUnavailable(reason);
      // Only another address can contain another token.
      if (reason === NO_TOKEN) return;
      await pause(this.#wait);
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    }
  }

  /** Delivers events until the stream ends; returns the reason. @param {Listener} listener */
  async #stream(listener) {
    const controller = new AbortController();
    let timer = setTimeout(() => controller.abort(), SILENCE_TIMEOUT_MS);
    try {
      const response = await fetch("api/events", { headers: this.#authorization(), signal: controller.signal });
      if (response.status === 401) return NO_TOKEN;
      if (!response.ok || response.body === null) return NOT_RUNNING;
      this.#wait = FIRST_WAIT;
      listener.onReload();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return NOT_RUNNING;
        clearTimeout(timer);
        timer = setTimeout(() => controller.abort(), SILENCE_TIMEOUT_MS);
        for (const { name, data } of parser.push(value)) {
          if (name === "reload") listener.onReload();
          else if (name === "told") listener.onEvent(JSON.parse(data));
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Parses server-sent events from a text that arrives in parts. */
export class EventParser {
  #rest = "";

  /** @param {string} text @returns {{name: string, data: string}[]} */
  push(text) {
    const parts = (this.#rest + text).split("\n\n");
    this.#rest = parts.pop() ?? "";
    return parts.map(readEvent).filter(({ data, name }) => data !== "" || name !== "message");
  }
}

/** @param {string} block */
function readEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    // A line that begins with a colon only prevents a time-out.
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return { name, data: data.join("\n") };
}

/** Takes the token from the address, which then no longer shows it; else the one that this tab stored before. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", location.pathname);
  return token;
}

/** Messages between the view and the extension. @implements {Transport} */
class EditorTransport {
  /** @type {"editor"} */
  kind = "editor";
  #api;
  #next = 1;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #waiting = new Map();

  /** @param {{postMessage(message: unknown): void, getState(): unknown, setState(state: unknown): void}} api */
  constructor(api) {
    this.#api = api;
  }

  /** @param {string} method @param {unknown} [params] @returns {Promise<any>} */
  request(method, params = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#api.postMessage({ id, method, params });
    });
  }

  /** @param {Listener} listener */
  listen(listener) {
    window.addEventListener("message", ({ data }) => this.#handleMessage(data, listener));
    this.#api.postMessage({ ready: true });
  }

  loadState() {
    const state = this.#api.getState();
    return typeof state === "object" && state !== null ? state : {};
  }

  /** @param {Record<string, any>} state */
  storeState(state) {
    this.#api.setState(state);
  }

  /** @param {any} message @param {Listener} listener */
  #handleMessage(message, listener) {
    if (typeof message !== "object" || message === null) return;
    if (message.told !== undefined) listener.onEvent(message.told);
    else if (message.fresh === true) listener.onReload();
    else if (typeof message.away === "string") this.#failRequests(message.away, listener);
    else if (message.wish !== undefined) listener.onCommand(message.wish);
    else this.#finishRequest(message);
  }

  /** Fails all open requests. @param {string} reason @param {Listener} listener */
  #failRequests(reason, listener) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Error(reason));
    listener.onUnavailable(reason);
  }

  /** @param {{id?: number, result?: unknown, error?: string}} message */
  #finishRequest({ id, result, error }) {
    const request = this.#waiting.get(id ?? 0);
    if (request === undefined) return;
    this.#waiting.delete(id ?? 0);
    if (error === undefined) request.resolve(result);
    else request.reject(new Error(error));
  }
}

/** @param {string | null} text @returns {Record<string, any>} */
function parseState(text) {
  try {
    const state = JSON.parse(text ?? "{}");
    return typeof state === "object" && state !== null ? state : {};
  } catch {
    return {};
  }
}

/** Waits this long, or until the page becomes visible or online. @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", end);
      window.removeEventListener("online", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, milliseconds);
    document.addEventListener("visibilitychange", end);
    window.addEventListener("online", end);
  });
}
