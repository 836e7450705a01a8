// @ts-check
// The list of conversations, with its search. Arrow keys go through it; one Tab goes past it.
import { calm, fill, h, setText } from "./dom.js";

/** @typedef {import("./app.js").Summary} Summary */

/** Milliseconds after the last key before words are searched for. */
const TYPING = 150;

export class List {
  #list;
  #search;
  #found;
  #more;
  #request;
  #open;
  #current = "";
  #asked = 0;
  /** Requests the list once per frame, however often it is called. */
  refresh;

  /**
   * @param {{list: HTMLElement, search: HTMLInputElement, found: HTMLElement, more: HTMLElement}} elements
   * @param {(query: string) => Promise<{conversations: Summary[], more: number}>} request
   * @param {(id: string) => void} open
   */
  constructor({ list, search, found, more }, request, open) {
    this.#list = list;
    this.#search = search;
    this.#found = found;
    this.#more = more;
    this.#request = request;
    this.#open = open;
    this.refresh = calm(() => void this.#load(), TYPING);
    search.addEventListener("input", this.refresh);
    search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.#focus(0, event);
      if (event.key === "Enter") /** @type {HTMLElement | undefined} */ (this.#buttons()[0])?.click();
      if (event.key !== "Escape" || search.value === "") return;
      event.stopPropagation();
      search.value = "";
      this.refresh();
    });
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Says which one is shown. @param {string} id */
  mark(id) {
    this.#current = id;
    for (const button of this.#buttons()) markButton(button, button.dataset.id === id);
    this.#oneStop();
  }

  async #load() {
    const query = this.#search.value.trim();
    this.#asked += 1;
    const asked = this.#asked;
    const found = await this.#request(query).catch(() => null);
    // If the user types faster than the search answers, only the last result counts.
    if (found === null || asked !== this.#asked) return;
    this.#draw(found.conversations);
    const { length } = found.conversations;
    setText(this.#found, query === "" ? "" : `${length + found.more} conversations found`);
    this.#more.hidden = found.more === 0 && (length > 0 || query === "");
    setText(
      this.#more,
      length === 0 ? "Nothing found." : `${found.more} more. Search for words of the one that you want.`,
    );
  }

  /** @param {Summary[]} conversations */
  #draw(conversations) {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
    fill(this.#list, ...conversations.map((one) => this.#entry(one)));
    if (focused !== undefined)
      this.#buttons()
        .find((button) => button.dataset.id === focused)
        ?.focus();
    this.#oneStop();
  }

  /** @param {Summary} summary */
  #entry({ id, title, updated, state, found }) {
    const name = STATES[state];
    const button = h(
      "button",
      { type: "button", "data-id": id, tabindex: "-1", onclick: () => this.#open(id) },
      h("span", { class: "title" }, title === "" ? "Without a title" : title),
      h("span", { class: "when" }, name !== undefined && h("span", { class: `badge ${state}` }, name), ago(updated)),
      found !== undefined && found !== null && h("span", { class: "found" }, found),
    );
    markButton(button, id === this.#current);
    return h("li", {}, button);
  }

  /** @returns {HTMLElement[]} */
  #buttons() {
    return [...this.#list.querySelectorAll("button")];
  }

  /** The list is one stop of the Tab key: the conversation that is shown, else the first. */
  #oneStop() {
    const buttons = this.#buttons();
    const stop = buttons.find((button) => button.dataset.id === this.#current) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const buttons = this.#buttons();
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "ArrowDown") this.#focus(Math.min(at + 1, buttons.length - 1), event);
    else if (event.key === "Home") this.#focus(0, event);
    else if (event.key === "End") this.#focus(buttons.length - 1, event);
    else if (event.key === "ArrowUp" && at > 0) this.#focus(at - 1, event);
    else if (event.key === "ArrowUp") this.#search.focus();
  }

  /** @param {number} index @param {KeyboardEvent} event */
  #focus(index, event) {
    event.preventDefault();
    this.#buttons()[index]?.focus();
  }
}

/** @param {HTMLElement} button @param {boolean} isCurrent */
function markButton(button, isCurrent) {
  if (isCurrent) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

/** @type {Record<string, string | undefined>} */
const STATES = { running: "running", waiting: "needs approval", elsewhere: "in another process" };

/** @param {number} then Milliseconds since the epoch. */
function ago(then) {
  const minutes = Math.floor((Date.now() - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(then).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
