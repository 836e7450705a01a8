// @ts-check
// Elements, created without HTML, so that the text of a model or a tool stays text.

/**
 * @typedef {Node | string | null | undefined | false} Child
 */

/**
 * Creates an element with attributes and children. A function is an event listener (`onclick`), `true` an attribute
 * without a value; `false`, `null` and `undefined` omit the attribute.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...presentChildren(children));
  return element;
}

/** @param {readonly Child[]} children @returns {(Node | string)[]} */
function presentChildren(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/** Replaces the children of an element. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren(...presentChildren(children));
}

/**
 * Sets a text if it differs: an unchanged one causes neither a screen reader's announcement nor a new layout.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let ids = 0;

/** A unique id for an element. */
export function newId() {
  ids += 1;
  return `e${ids}`;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns a function that calls `action` once, this time after the last call.
 *
 * @param {() => void} action
 * @param {number} milliseconds
 */
export function debounce(action, milliseconds) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** A number such as `12,345`. @param {number} number */
export function formatCount(number) {
  return number.toLocaleString("en");
}

/** @typedef {{input: number, output: number}} Usage */

/** `15 tokens (10 in, 5 out)`. Empty for 0, if the provider reports no counts. @param {Usage} usage */
export function tokensText({ input, output }) {
  return input + output === 0
    ? ""
    : `${formatCount(input + output)} tokens (${formatCount(input)} in, ${formatCount(output)} out)`;
}

/**
 * The texts for the usage of a conversation and of its last turn.
 *
 * @param {Usage} all
 * @param {Usage} turn
 * @returns {[string, string]}
 */
export function usageTexts(all, turn) {
  const sum = all.input + all.output;
  const last = turn.input + turn.output;
  return [sum ? `${formatCount(sum)} tokens` : "", sum && last ? `, ${formatCount(last)} in this turn` : ""];
}

/** `340 ms`, `2.4 s`, `3 min 5 s`. @param {number} milliseconds */
export function durationText(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
