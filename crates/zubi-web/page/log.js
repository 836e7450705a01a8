// @ts-check
// The conversation as rows. Updates change rows in place, so that they stay open and retain the focus.
import { formatCount, fill, h, setText, durationText, tokensText } from "./dom.js";
import { showText } from "./diff.js";
import { show as showMarkdown } from "./markdown.js";
import { rows } from "./state.js";

/**
 * @typedef {import("./state.js").Item} Item
 * @typedef {{element: HTMLElement, update: (items: Item[]) => void}} Row
 */

/** The initial number of rows, and the number that each click adds. */
const INITIAL_ROWS = 120;
const MORE_ROWS = 400;
/** Calls of a group that are shown before the user expands it. */
const GROUP_ROWS = 5;
/** Characters of a result that are shown before the user expands it. */
const MAX_RESULT = 20_000;

export class Log {
  element;
  #rows = h("div", { class: "rows" });
  #earlier;
  #limit = INITIAL_ROWS;
  /** @type {Map<string, {row: Row, version: string}>} */
  #shown = new Map();
  #conversation = "";
  /** Whether the log scrolls to new rows, because the last one is visible. */
  #followsEnd = true;

  constructor() {
    this.#earlier = h("button", { class: "quiet earlier", hidden: true, onclick: () => this.#showEarlier() });
    this.element = h(
      "div",
      { class: "log", role: "log", "aria-live": "off", "aria-label": "Conversation", tabindex: "0" },
      this.#earlier,
      this.#rows,
    );
    this.element.addEventListener("scroll", () => (this.#followsEnd = this.isAtEnd()));
    // A prompt below the log, or a phone's keyboard, makes it smaller.
    new ResizeObserver(() => this.#followsEnd && this.toEnd()).observe(this.element);
  }

  /** @type {import("./state.js").Conversation | null} */
  #last = null;

  #showEarlier() {
    if (this.#last === null) return;
    const before = this.element.scrollHeight - this.element.scrollTop;
    this.#limit += MORE_ROWS;
    this.show(this.#last);
    // The visible part stays at its position.
    this.element.scrollTop = this.element.scrollHeight - before;
  }

  /** @param {import("./state.js").Conversation} conversation */
  show(conversation) {
    if (this.#conversation !== conversation.id || this.#last !== conversation) this.#reset(conversation);
    const all = rows([...conversation.items, ...conversation.queued]);
    const visible = all.slice(-this.#limit);
    const hidden = all.length - visible.length;
    this.#earlier.hidden = hidden === 0;
    setText(this.#earlier, `Show earlier (${formatCount(hidden)} more)`);
    this.#reconcile(visible);
    if (this.#followsEnd) this.toEnd();
  }

  /** Whether the last row is visible. */
  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < 40;
  }

  toEnd() {
    this.#followsEnd = true;
    this.element.scrollTop = this.element.scrollHeight;
  }

  /** @param {import("./state.js").Conversation} conversation */
  #reset(conversation) {
    // A conversation that is opened again shows the same number of rows.
    if (this.#conversation !== conversation.id) this.#limit = INITIAL_ROWS;
    this.#conversation = conversation.id;
    this.#last = conversation;
    this.#shown.clear();
    fill(this.#rows);
  }

  /** @param {Item[][]} wanted */
  #reconcile(wanted) {
    const keys = new Set(wanted.map(keyOf));
    for (const [key, { row }] of this.#shown) {
      if (keys.has(key)) continue;
      row.element.remove();
      this.#shown.delete(key);
    }
    let next = this.#rows.firstChild;
    for (const items of wanted) {
      const key = keyOf(items);
      const version = items.map(({ key: itemKey, revision }) => `${itemKey}.${revision}`).join();
      let shown = this.#shown.get(key);
      if (shown === undefined) {
        shown = { row: makeRow(items), version: "" };
        this.#shown.set(key, shown);
      }
      if (shown.version !== version) shown.row.update(items);
      shown.version = version;
      const { element } = shown.row;
      if (next === element) next = element.nextSibling;
      else this.#rows.insertBefore(element, next);
    }
  }
}

/** @param {Item[]} items */
function keyOf(items) {
  const first = /** @type {Item} */ (items[0]);
  return items.length > 1 ? `group ${first.key}` : `one ${first.key}`;
}

/** @param {Item[]} items @returns {Row} */
function makeRow(items) {
  if (items.length > 1) return groupRow();
  switch (/** @type {Item} */ (items[0]).kind) {
    case "user":
      return userRow();
    case "assistant":
      return assistantRow();
    case "call":
      return callRow();
    default:
      return noteRow();
  }
}

/** @returns {Row} */
function userRow() {
  const text = h("div", { class: "text" });
  const note = h("p", { class: "note" });
  const element = h("article", { class: "row user", "aria-label": "You" }, text, note);
  return itemRow(element, "user", (item) => {
    setText(text, item.text);
    setText(note, item.queued ? "Sent with the next model request." : "");
  });
}

/** @returns {Row} */
function assistantRow() {
  const text = h("div", { class: "text markdown" });
  const thoughts = h("pre", { class: "plain" });
  const foldedThoughts = h("details", { class: "thoughts" }, h("summary", {}, "Thoughts"), thoughts);
  const note = h("p", { class: "note" });
  const element = h("article", { class: "row assistant", "aria-label": "zubi" }, foldedThoughts, text, note);
  return itemRow(element, "assistant", (item) => {
    foldedThoughts.hidden = item.thoughts === "";
    setText(thoughts, item.thoughts);
    showMarkdown(text, item.text);
    setText(note, item.interrupted ? "Stopped here." : "");
    element.classList.toggle("live", item.live);
    element.setAttribute("aria-busy", String(item.live));
  });
}

/** @type {Record<import("./state.js").Status, {mark: string, name: string}>} */
const STATES = {
  pending: { mark: "○", name: "pending" },
  running: { mark: "◐", name: "running" },
  waiting: { mark: "?", name: "needs approval" },
  ok: { mark: "✓", name: "done" },
  failed: { mark: "✗", name: "failed" },
  refused: { mark: "⊘", name: "refused" },
  stopped: { mark: "■", name: "stopped" },
};

/** @returns {Row} */
function callRow() {
  const mark = h("span", { class: "state", "aria-hidden": "true" });
  const summary = h("span", { class: "summary" });
  const state = h("span", { class: "outcome" });
  const name = h("span", {});
  const facts = h("span", {});
  state.append(name, facts);
  const body = h("div", { class: "body" });
  const diff = h("div", { class: "changes" });
  const details = h("details", { class: "call" }, h("summary", {}, mark, summary, state), body);
  const element = h("div", { class: "row calls" }, details, diff);
  /** @type {(Item & {kind: "call"}) | null} */
  let last = null;
  // Rendered on demand, because users open few of hundreds of calls.
  const draw = () => {
    if (details.open && last !== null) fill(body, ...callDetails(last));
    else fill(body);
  };
  details.addEventListener("toggle", draw);
  let preview = "";
  return itemRow(element, "call", (item) => {
    last = item;
    const { mark: symbol, name: label } = STATES[item.status];
    setText(mark, symbol);
    setText(name, label);
    // Screen readers announce the state in words; the mark is only visual.
    name.className = item.status === "ok" ? "sr" : "";
    setText(summary, item.summary);
    const parts = [
      item.status === "failed" ? item.failure.replaceAll("_", " ") : "",
      item.progress,
      item.decision,
      item.duration >= 1000 ? durationText(item.duration) : "",
    ].filter((part) => part !== "");
    setText(facts, (item.status === "ok" || parts.length === 0 ? "" : " · ") + parts.join(" · "));
    details.dataset.status = item.status;
    draw();
    // The row shows the change without being opened; during an approval prompt, the prompt shows it.
    const wanted = item.status === "waiting" ? "" : item.preview;
    if (wanted !== preview) fill(diff, ...showText(wanted).filter((part) => part.tagName === "FIGURE"));
    preview = wanted;
  });
}

/** @param {Item & {kind: "call"}} item @returns {HTMLElement[]} */
function callDetails(item) {
  const args = typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments, null, 2);
  /** @type {HTMLElement[]} */
  const parts = [h("h4", {}, `${item.tool}: arguments`), h("pre", { class: "plain", tabindex: "0" }, args)];
  if (item.preview !== "" && showText(item.preview).every((part) => part.tagName !== "FIGURE")) {
    parts.push(h("h4", {}, "Changes or data to send"), h("pre", { class: "plain", tabindex: "0" }, item.preview));
  }
  if (item.result !== null) parts.push(h("h4", {}, "Result"), ...resultText(item.result));
  return parts;
}

/** @param {string} text @returns {HTMLElement[]} */
export function resultText(text) {
  if (text.length <= MAX_RESULT) return showText(text);
  const part = h("div", {}, ...showText(text.slice(0, MAX_RESULT)));
  const more = h(
    "button",
    {
      class: "quiet",
      onclick: () => {
        fill(part, ...showText(text));
        more.remove();
      },
    },
    `Show all ${formatCount(text.length)} characters`,
  );
  return [part, more];
}

/** A group of read-only calls: the last few, and the number of the others. @returns {Row} */
function groupRow() {
  const more = h("button", {
    class: "quiet more",
    hidden: true,
    onclick: () => {
      showsAll = true;
      draw();
    },
  });
  const list = h("div", {});
  const element = h("div", { class: "row group", role: "group" }, more, list);
  /** @type {Map<number, {row: Row, revision: number}>} */
  const shown = new Map();
  let showsAll = false;
  /** @type {Item[]} */
  let last = [];
  const draw = () => {
    const visible = showsAll ? last : last.slice(-GROUP_ROWS);
    more.hidden = visible.length === last.length;
    setText(more, `${formatCount(last.length - visible.length)} more`);
    for (const [key, { row }] of shown) {
      if (visible.some((item) => item.key === key)) continue;
      row.element.remove();
      shown.delete(key);
    }
    for (const [index, item] of visible.entries()) {
      const entry = shown.get(item.key) ?? { row: callRow(), revision: -1 };
      shown.set(item.key, entry);
      if (entry.revision !== item.revision) entry.row.update([item]);
      entry.revision = item.revision;
      if (list.children[index] !== entry.row.element)
        list.insertBefore(entry.row.element, list.children[index] ?? null);
    }
  };
  return {
    element,
    update: (items) => {
      last = items;
      element.setAttribute("aria-label", `${items.length} read-only calls`);
      draw();
    },
  };
}

/** @returns {Row} */
function noteRow() {
  const element = h("div", { class: "row note" });
  return { element, update: ([item]) => drawNote(element, /** @type {Item} */ (item)) };
}

/** @type {Record<string, string>} */
const REASONS = {
  completed: "Done",
  stopped: "Stopped",
  iterations: "Ended: the limit of model requests per turn is reached. Send “continue” to resume",
  calls: "Ended: the limit of calls per turn is reached. Send “continue” to resume",
  tokens: "Ended: the turn has used all of its tokens",
  time: "Ended: the turn has used all of its time",
  repeating: "Ended: the model made the same call over and over",
  invalid: "Ended: the model's answer was invalid",
  model: "Ended: the model gave no answer",
  failed: "Ended: zubi could not continue",
  killed: "Interrupted: zubi exited during this turn. Send “continue” to resume",
};

/** @param {HTMLElement} element @param {Item} item */
function drawNote(element, item) {
  switch (item.kind) {
    case "retry":
      fill(
        element,
        `The model did not answer (attempt ${item.attempt}): ${item.message} Retrying in ${durationText(item.wait)}.`,
      );
      break;
    case "notice":
      fill(element, item.text);
      break;
    case "compacted":
      fill(
        element,
        h(
          "details",
          {},
          h(
            "summary",
            {},
            `Earlier messages were summarized: ${formatCount(item.before)} → ${formatCount(item.after)} tokens`,
          ),
          h("pre", { class: "plain" }, item.summary),
        ),
      );
      break;
    case "ended":
      element.classList.add("ended");
      element.dataset.reason = item.reason;
      fill(element, ...endNote(item));
      break;
  }
}

/** @param {Item & {kind: "ended"}} item */
function endNote(item) {
  const { reason, text, data, problem, iterations, calls, usage, duration } = item;
  const facts = [
    tokensText(usage),
    `${iterations} ${iterations === 1 ? "iteration" : "iterations"}`,
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    durationText(duration),
  ].filter((fact) => fact !== "");
  // The answer is a row of its own; a report is not.
  const report = h("div", { class: "markdown" });
  if (reason !== "completed") showMarkdown(report, text);
  return [
    h("p", {}, h("strong", {}, REASONS[reason] ?? reason), ` · ${facts.join(" · ")}`),
    problem !== "" && h("p", { class: "problem" }, problem),
    reason !== "completed" && text !== "" && report,
    data !== null &&
      h("pre", { class: "plain", tabindex: "0", "aria-label": "The answer as data" }, JSON.stringify(data, null, 2)),
  ];
}

/**
 * A row for one item of a kind.
 *
 * @template {Item["kind"]} K
 * @param {HTMLElement} element
 * @param {K} _kind
 * @param {(item: Item & {kind: K}) => void} update
 * @returns {Row}
 */
function itemRow(element, _kind, update) {
  return { element, update: ([item]) => update(/** @type {Item & {kind: K}} */ (item)) };
}
