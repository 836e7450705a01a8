// @ts-check
// The list of conversations, with its search. Arrow keys move through it; one Tab passes it.
import { debounce, fill, h, setText } from "./dom.js";

/** @typedef {import("./app.js").Summary} Summary */

/** The delay between the last key and the search. */
const TYPING_DELAY_MS = 150;

export class List {
  #list;
  #search;
  #found;
  #more;
  #request;
  #open;
  #current = "";
  #latestRequest = 0;
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
    this.refresh = debounce(() => void this.#load(), TYPING_DELAY_MS);
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

  /** Marks the conversation that is shown. @param {string} id */
  mark(id) {
    this.#current = id;
    for (const button of this.#buttons()) markButton(button, button.dataset.id === id);
    this.#updateTabStop();
  }

  async #load() {
    const query = this.#search.value.trim();
    this.#latestRequest += 1;
    const request = this.#latestRequest;
    const found = await this.#request(query).catch(() => null);
    // If the user types faster than the search responds, only the last result counts.
    if (found === null || request !== this.#latestRequest) return;
    this.#draw(found.conversations);
    const { length } = found.conversations;
    setText(this.#found, query === "" ? "" : `${length + found.more} conversations found`);
    this.#more.hidden = found.more === 0 && (length > 0 || query === "");
    setText(this.#more, length === 0 ? "Nothing found." : `${found.more} more. Search to find them.`);
  }

  /** @param {Summary[]} conversations */
  #draw(conversations) {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
    fill(this.#list, ...conversations.map((summary) => this.#entry(summary)));
    if (focused !== undefined)
      this.#buttons()
        .find((button) => button.dataset.id === focused)
        ?.focus();
    this.#updateTabStop();
  }

  /** @param {Summary} summary */
  #entry({ id, title, updated, state, found }) {
    const name = STATES[state];
    const button = h(
      "button",
      { type: "button", "data-id": id, tabindex: "-1", onclick: () => this.#open(id) },
      h("span", { class: "title" }, title === "" ? "Untitled" : title),
      h(
        "span",
        { class: "time" },
        name !== undefined && h("span", { class: `badge ${state}` }, name),
        relativeTime(updated),
      ),
      found !== undefined && found !== null && h("span", { class: "found" }, found),
    );
    markButton(button, id === this.#current);
    return h("li", {}, button);
  }

  /** @returns {HTMLElement[]} */
  #buttons() {
    return [...this.#list.querySelectorAll("button")];
  }

  /** Makes the list one stop of the Tab key: the conversation that is shown, else the first. */
  #updateTabStop() {
    const buttons = this.#buttons();
    const stop = buttons.find((button) => button.dataset.id === this.#current) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const buttons = this.#buttons();
    const index = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "ArrowDown") this.#focus(Math.min(index + 1, buttons.length - 1), event);
    else if (event.key === "Home") this.#focus(0, event);
    else if (event.key === "End") this.#focus(buttons.length - 1, event);
    else if (event.key === "ArrowUp" && index > 0) this.#focus(index - 1, event);
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

/** @param {number} time Milliseconds since the epoch. */
function relativeTime(time) {
  const minutes = Math.floor((Date.now() - time) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
