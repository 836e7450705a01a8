// @ts-check
// The tool inspector: every tool with a form for its arguments. Manual calls follow the same rules as those of a model,
// and use the same approval prompts.
import { fill, h, messageOf, setText, durationText } from "./dom.js";
import { makeForm } from "./form.js";
import { resultText } from "./log.js";
import { renderWords } from "./markdown.js";

/** The conversation of manual calls, as `wire::INSPECTOR`. */
export const INSPECTOR = "inspector";

/**
 * @typedef {{id: string, name: string, title: string, description: string, effect: string, category: string,
 *   tags?: string[], inputSchema: any, examples?: {title: string, arguments: any}[]}} Tool
 */

export class Inspector {
  #element;
  #request;
  #announce;
  /** @type {Tool[]} */
  #tools = [];
  #chosen = "";
  #search = h("input", {
    type: "search",
    id: "tool-search",
    placeholder: "Search tools",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => this.#draw(),
  });
  #list = h("ul", { "aria-label": "Tools" });
  #found = h("p", { class: "sr", role: "status" });
  #pane = h("div", { class: "pane" }, h("p", { class: "note" }, "Choose a tool to call it."));
  #progress = h("span", { class: "note", role: "status" });

  /**
   * @param {HTMLElement} element
   * @param {(method: string, params?: unknown) => Promise<any>} request
   * @param {(text: string) => void} announce
   */
  constructor(element, request, announce) {
    this.#element = element;
    this.#request = request;
    this.#announce = announce;
    fill(
      element,
      h(
        "div",
        { class: "tool-list" },
        h("label", { class: "sr", for: "tool-search" }, "Search tools"),
        this.#search,
        this.#found,
        this.#list,
      ),
      this.#pane,
    );
    element.addEventListener("keydown", (event) => this.#move(event));
  }

  focus() {
    this.#search.focus();
  }

  async load() {
    try {
      ({ tools: this.#tools } = await this.#request("tools"));
    } catch (error) {
      fill(this.#pane, h("p", { class: "problem", role: "alert" }, messageOf(error)));
    }
    this.#draw();
  }

  /** Shows the progress of the running call. @param {string} text */
  progress(text) {
    setText(this.#progress, text);
  }

  #draw() {
    const words = this.#search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const found = this.#tools.filter((tool) => {
      const text = [tool.name, tool.id, tool.title, tool.description, tool.category, ...(tool.tags ?? [])]
        .join(" ")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
    setText(this.#found, words.length === 0 ? "" : `${found.length} tools found`);
    fill(
      this.#list,
      ...found.map((tool, index) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              "data-name": tool.name,
              tabindex: index === 0 ? "0" : "-1",
              "aria-current": tool.name === this.#chosen ? "true" : null,
              onclick: () => this.#choose(tool),
            },
            h("span", { class: "title" }, tool.title),
            h("code", {}, tool.name),
          ),
        ),
      ),
    );
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const inList = this.#list.contains(/** @type {Node} */ (event.target));
    if (!inList && event.target !== this.#search) return;
    const buttons = [...this.#list.querySelectorAll("button")];
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (target === undefined || (!inList && event.key !== "ArrowDown")) return;
    event.preventDefault();
    if (target < 0) this.#search.focus();
    else buttons[Math.min(target, buttons.length - 1)]?.focus();
  }

  /** @param {Tool} tool */
  #choose(tool) {
    this.#chosen = tool.name;
    for (const button of this.#list.querySelectorAll("button")) {
      if (button.dataset.name === tool.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const form = makeForm(tool.inputSchema);
    const result = h("section", { class: "result", "aria-label": "Result", "aria-live": "polite" });
    const call = h("button", { type: "submit", class: "primary" }, "Call");
    const stop = h("button", { type: "button", class: "danger", hidden: true, onclick: () => this.#stop() }, "Stop");
    const run = async () => {
      const args = stop.hidden ? form.read() : null;
      if (args === null) return;
      stop.hidden = false;
      fill(result);
      this.progress("Running…");
      try {
        show(result, await this.#request("call", { tool: tool.name, arguments: args }), this.#announce);
      } catch (error) {
        fill(result, h("p", { class: "problem", role: "alert" }, messageOf(error)));
      } finally {
        if (document.activeElement === stop) call.focus();
        stop.hidden = true;
        this.progress("");
      }
    };
    const examples = (tool.examples ?? []).map((example) =>
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => form.set(example.arguments) },
        `Example: ${example.title}`,
      ),
    );
    const heading = h("h2", { tabindex: "-1" }, tool.title);
    fill(
      this.#pane,
      h("button", { type: "button", class: "quiet back", onclick: () => this.#back() }, "← All tools"),
      heading,
      h("p", { class: "facts" }, h("code", {}, tool.name), ` ${tool.effect}`),
      h("p", {}, ...renderWords(tool.description)),
      examples.length > 0 && h("div", { class: "examples" }, ...examples),
      h(
        "form",
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            void run();
          },
          novalidate: true,
          "aria-label": `Call ${tool.title}`,
        },
        form.element,
        h("div", { class: "answers" }, call, stop, this.#progress),
      ),
      result,
    );
    this.#element.classList.add("chosen");
    this.#pane.scrollTop = 0;
    heading.focus();
  }

  #stop() {
    this.#request("stop", { conversation: INSPECTOR }).catch((error) => this.progress(messageOf(error)));
  }

  #back() {
    this.#element.classList.remove("chosen");
    this.#search.focus();
  }
}

/** @param {HTMLElement} element @param {{text: string, isError: boolean, data?: any, duration: number}} called
 * @param {(text: string) => void} announce */
function show(element, { text, isError, data, duration }, announce) {
  const title = isError ? "Failed" : "Done";
  announce(`${title}, after ${durationText(duration)}`);
  fill(
    element,
    h("h3", { class: isError ? "failed" : "ok" }, `${isError ? "✗" : "✓"} ${title} · ${durationText(duration)}`),
    ...resultText(text),
    data !== undefined &&
      data !== null &&
      h(
        "details",
        {},
        h("summary", {}, "The result as data"),
        h("pre", { class: "plain", tabindex: "0" }, JSON.stringify(data, null, 2)),
      ),
  );
}
