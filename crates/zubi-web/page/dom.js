// @ts-check
// Elements, made without a word of HTML: what a model or a tool wrote is only ever text in them.

/**
 * @typedef {Node | string | null | undefined | false} Child
 */

/**
 * An element with attributes and children. A function is a listener (`onclick`), `true` and `false` say whether an attribute
 * is there, `null` and `undefined` that it is not.
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
  element.append(...present(children));
  return element;
}

/** @param {readonly Child[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/** Puts these in place of what is in an element. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

/** Sets a text only if it is another one, so that nothing that has not changed is read out or laid out again.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let ids = 0;

/** A name for an element that no other has. */
export function newId() {
  ids += 1;
  return `e${ids}`;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Calls once when it has not been called for a while. @param {() => void} action @param {number} milliseconds */
export function calm(action, milliseconds) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** `12,345` as a person writes it. @param {number} number */
export function count(number) {
  return number.toLocaleString("en");
}

/** @typedef {{input: number, output: number}} Usage */

/** `15 tokens (10 in, 5 out)`. Empty for 0: the provider has not counted them. @param {Usage} usage */
export function tokens({ input, output }) {
  return input + output === 0 ? "" : `${count(input + output)} tokens (${count(input)} in, ${count(output)} out)`;
}

/** The usage of a conversation, and the text for one turn. @param {Usage} all @param {Usage} turn @returns {[string, string]} */
export function inAll(all, turn) {
  const [sum, last] = [all, turn].map(({ input, output }) => input + output);
  return [sum ? `${count(sum)} tokens` : "", sum && last ? `, ${count(last)} in this turn` : ""];
}

/** `340 ms`, `2.4 s`, `3 min 5 s`. @param {number} milliseconds */
export function span(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
