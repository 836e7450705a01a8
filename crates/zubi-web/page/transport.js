// @ts-check
// The connection of the page to zubi: HTTP in a browser, messages in a view of VS Code. The rest of the page does not know
// which of the two it is.
//
// In VS Code the page and the extension post each other these objects:
//
//   page → extension   {ready: true}                 the page listens now
//                      {id, method, params}          a request, as in `zubi_agent::wire`
//   extension → page   {id, result} or {id, error}   its response; `error` is a text for the user
//                      {told}                        an event: `wire::ConversationEvent`
//                      {fresh: true}                 the event stream begins, or events were lost
//                      {away: "why"}                 zubi is not available
//                      {wish}                        a command of the editor, see `ChatCommand`

/**
 * Something that a command of the editor wants of the page.
 *
 * @typedef {{do: "new"} | {do: "focus"} | {do: "open", conversation: string}} Wish
 */

/**
 * Receives events.
 *
 * @typedef {object} Listener
 * @property {(told: {conversation: string, event: any}) => void} told An event.
 * @property {() => void} fresh The event stream begins; the page must request earlier events.
 * @property {(why: string) => void} away No events until the next `fresh`.
 * @property {(wish: Wish) => void} wish The editor wants something.
 */

/**
 * @typedef {object} Transport
 * @property {"web" | "editor"} kind
 * @property {(method: string, params?: unknown) => Promise<any>} request Fails with an `Error` whose message is for a person.
 * @property {(listener: Listener) => void} listen Called once.
 * @property {() => Record<string, any>} kept The state that the page stored when it was last shown.
 * @property {(state: Record<string, any>) => void} keep Stores the state as long as the tab, or the view, exists.
 */

/** Names in the session's storage. */
const TOKEN = "zubi.token";
const KEPT = "zubi.kept";

/** Milliseconds between two tries to reach zubi: doubled from the one to the other. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;
/** The server says something at least every 15 seconds. */
const SILENCE = 40_000;

const NO_TOKEN =
  "This page has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`.";
const NOBODY = "zubi does not answer. Start `zubi web` again, and open the address that it prints.";

/** @returns {Transport} */
export function connect() {
  const api = /** @type {any} */ (globalThis).acquireVsCodeApi;
  return typeof api === "function" ? new Editor(api()) : new Web();
}

/** Requests and one stream of events over HTTP. @implements {Transport} */
class Web {
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
      throw new Error(NOBODY);
    }
    if (response.status === 401) throw new Error(NO_TOKEN);
    const answer = await response.json().catch(() => null);
    if (!response.ok) throw new Error(answer?.error ?? `zubi answered with status ${response.status}.`);
    return answer;
  }

  /** @param {Listener} listener */
  listen(listener) {
    void this.#follow(listener);
  }

  kept() {
    return readKept(sessionStorage.getItem(KEPT));
  }

  /** @param {Record<string, any>} state */
  keep(state) {
    sessionStorage.setItem(KEPT, JSON.stringify(state));
  }

  #authorization() {
    return { authorization: `Bearer ${this.#token}` };
  }

  /** @param {Listener} listener */
  async #follow(listener) {
    for (;;) {
      const why = await this.#stream(listener).catch(() => NOBODY);
      listener.away(why);
      // Another token comes only with another address.
      if (why === NO_TOKEN) return;
      await pause(this.#wait);
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    }
  }

  /** Passes on events until the stream ends; returns the reason. @param {Listener} listener */
  async #stream(listener) {
    const ending = new AbortController();
    let timer = setTimeout(() => ending.abort(), SILENCE);
    try {
      const response = await fetch("api/events", { headers: this.#authorization(), signal: ending.signal });
      if (response.status === 401) return NO_TOKEN;
      if (!response.ok || response.body === null) return NOBODY;
      this.#wait = FIRST_WAIT;
      listener.fresh();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return NOBODY;
        clearTimeout(timer);
        timer = setTimeout(() => ending.abort(), SILENCE);
        for (const { name, data } of parser.push(value)) {
          if (name === "reload") listener.fresh();
          else if (name === "told") listener.told(JSON.parse(data));
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Reads server-sent events from a text that comes in pieces. */
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
    // A line that begins with a colon only holds the connection open.
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return { name, data: data.join("\n") };
}

/** The token of the address, which then no longer shows it; else the one that this tab had before. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", location.pathname);
  return token;
}

/** Messages between the view and the extension. @implements {Transport} */
class Editor {
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
    window.addEventListener("message", ({ data }) => this.#take(data, listener));
    this.#api.postMessage({ ready: true });
  }

  kept() {
    const kept = this.#api.getState();
    return typeof kept === "object" && kept !== null ? kept : {};
  }

  /** @param {Record<string, any>} state */
  keep(state) {
    this.#api.setState(state);
  }

  /** @param {any} message @param {Listener} listener */
  #take(message, listener) {
    if (typeof message !== "object" || message === null) return;
    if (message.told !== undefined) listener.told(message.told);
    else if (message.fresh === true) listener.fresh();
    else if (typeof message.away === "string") this.#lose(message.away, listener);
    else if (message.wish !== undefined) listener.wish(message.wish);
    else this.#settle(message);
  }

  /** Fails all open requests. @param {string} why @param {Listener} listener */
  #lose(why, listener) {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Error(why));
    listener.away(why);
  }

  /** @param {{id?: number, result?: unknown, error?: string}} message */
  #settle({ id, result, error }) {
    const request = this.#waiting.get(id ?? 0);
    if (request === undefined) return;
    this.#waiting.delete(id ?? 0);
    if (error === undefined) request.resolve(result);
    else request.reject(new Error(error));
  }
}

/** @param {string | null} text @returns {Record<string, any>} */
function readKept(text) {
  try {
    const kept = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** Waits so long, or until the page is looked at again. @param {number} milliseconds */
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
