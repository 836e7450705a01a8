// @ts-check
// Renders a model's Markdown as elements. `parse` turns a text into a tree of plain data, and `render` makes an element
// of a fixed kind from each node: no node can become HTML, an image, or a link other than http or https.
import { h } from "./dom.js";

/**
 * @typedef {{kind: "text", text: string} | {kind: "code", text: string}
 *   | {kind: "strong" | "emphasis" | "struck", inside: Inline[]}
 *   | {kind: "link", to: string, inside: Inline[]} | {kind: "break"}} Inline
 * @typedef {{source: string} & (
 *     {kind: "paragraph", inside: Inline[]}
 *   | {kind: "heading", level: number, inside: Inline[]}
 *   | {kind: "code", language: string, text: string}
 *   | {kind: "quote", blocks: Block[]}
 *   | {kind: "list", start: number | null, items: Block[][]}
 *   | {kind: "rule"}
 * )} Block
 */

/** The maximum depth of quotes and lists that are parsed. */
const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/;

/** @param {string} text @param {number} [depth] @returns {Block[]} */
export function parse(text, depth = 0) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  /** @type {Block[]} */
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const line = /** @type {string} */ (lines[at]);
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const begin = at;
    const read = readBlock(lines, at, depth);
    at = read.next;
    blocks.push(/** @type {Block} */ ({ ...read.block, source: lines.slice(begin, at).join("\n") }));
  }
  return blocks;
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {{block: any, next: number}} */
function readBlock(lines, at, depth) {
  const line = /** @type {string} */ (lines[at]);
  const fence = FENCE.exec(line);
  if (fence !== null) return readFence(lines, at, /** @type {string} */ (fence[1]), (fence[2] ?? "").trim());
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const [, marks = "", inside = ""] = heading;
    return { block: { kind: "heading", level: marks.length, inside: inline(inside) }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (depth < MAX_DEPTH && /^ {0,3}>/.test(line)) {
    const quoted = takeWhile(lines, at, (candidate) => /^ {0,3}>/.test(candidate));
    const inside = quoted.map((quotedLine) => quotedLine.replace(/^ {0,3}> ?/, ""));
    return { block: { kind: "quote", blocks: parse(inside.join("\n"), depth + 1) }, next: at + inside.length };
  }
  if (depth < MAX_DEPTH && ITEM.test(line)) return readList(lines, at, depth);
  const first = lines.slice(at, at + 1);
  const rest = takeWhile(lines, at + 1, (candidate) => candidate.trim() !== "" && !startsBlock(candidate, depth));
  const text = [...first, ...rest].map((candidate) => candidate.replace(/^\s+/, "")).join("\n");
  return { block: { kind: "paragraph", inside: inline(text) }, next: at + 1 + rest.length };
}

/** Whether a line begins something that ends a paragraph. @param {string} line @param {number} depth */
function startsBlock(line, depth) {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
  return depth < MAX_DEPTH && (/^ {0,3}>/.test(line) || (ITEM.test(line) && /^ *(?:[-*+]|1[.)])\s+\S/.test(line)));
}

/**
 * Reads a code block. An unclosed one extends to the end, because the rest of it has not arrived yet.
 *
 * @param {string[]} lines
 * @param {number} at
 * @param {string} mark
 * @param {string} language
 */
function readFence(lines, at, mark, language) {
  const closing = new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}\\s*$`);
  const inside = takeWhile(lines, at + 1, (line) => !closing.test(line));
  const block = { kind: "code", language: language.split(/\s/)[0] ?? "", text: inside.join("\n") };
  return { block, next: Math.min(at + inside.length + 2, lines.length) };
}

/** @param {string[]} lines @param {number} at @param {number} depth */
function readList(lines, at, depth) {
  const [, indent = "", mark = ""] = ITEM.exec(/** @type {string} */ (lines[at])) ?? [];
  const ordered = /\d/.test(mark);
  /** @type {string[][]} */
  const items = [];
  let next = at;
  while (next < lines.length) {
    const line = /** @type {string} */ (lines[next]);
    const item = ITEM.exec(line);
    const width = item?.[1]?.length ?? 0;
    if (item !== null && width <= indent.length + 1 && /\d/.test(item[2] ?? "") === ordered && !RULE.test(line)) {
      if (width < indent.length) break;
      items.push([item[3] ?? ""]);
    } else if (line.trim() === "") {
      // An empty line ends the list unless the list continues after it.
      const following = lines[next + 1] ?? "";
      const nextItem = ITEM.exec(following);
      const isDeeper = /^ +\S/.test(following) && following.search(/\S/) > indent.length;
      if (!isDeeper && (nextItem === null || /\d/.test(nextItem[2] ?? "") !== ordered)) break;
      items.at(-1)?.push("");
    } else if (line.search(/\S/) > indent.length) {
      // Indented lines belong to the item, up to the column at which its text begins.
      items.at(-1)?.push(line.replace(new RegExp(`^ {0,${indent.length + mark.length + 1}}`), ""));
    } else if (lines[next - 1]?.trim() !== "" && !startsBlock(line, depth)) items.at(-1)?.push(line);
    else break;
    next += 1;
  }
  const start = ordered ? Number.parseInt(mark, 10) : null;
  return { block: { kind: "list", start, items: items.map((item) => parse(item.join("\n"), depth + 1)) }, next };
}

/** @param {string[]} lines @param {number} from @param {(line: string) => boolean} predicate */
function takeWhile(lines, from, predicate) {
  let to = from;
  while (to < lines.length && predicate(/** @type {string} */ (lines[to]))) to += 1;
  return lines.slice(from, to);
}

/** @type {readonly {mark: string, kind: "strong" | "emphasis" | "struck"}[]} */
const MARKS = [
  { mark: "***", kind: "strong" },
  { mark: "**", kind: "strong" },
  { mark: "__", kind: "strong" },
  { mark: "~~", kind: "struck" },
  { mark: "*", kind: "emphasis" },
  { mark: "_", kind: "emphasis" },
];

/** The inline elements of a line. @param {string} text @param {number} [depth] @returns {Inline[]} */
export function inline(text, depth = 0) {
  /** @type {Inline[]} */
  const found = [];
  // Marks without an end: each is searched for only once, so that a text of nothing but marks takes linear time.
  /** @type {Set<string>} */
  const open = new Set();
  let plain = "";
  let at = 0;
  /** @param {Inline} node @param {number} next */
  const push = (node, next) => {
    if (plain !== "") found.push({ kind: "text", text: plain });
    plain = "";
    found.push(node);
    at = next;
  };
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "\\" && /[\\`*_~[\]()#+\-.!>]/.test(text.charAt(at + 1))) {
      plain += text.charAt(at + 1);
      at += 2;
    } else if (character === "\n") {
      if (plain.endsWith("  ")) {
        plain = plain.trimEnd();
        push({ kind: "break" }, at + 1);
      } else {
        plain += "\n";
        at += 1;
      }
    } else {
      const node = readCode(text, at, open) ?? readLink(text, at, open, depth) ?? readMark(text, at, open, depth);
      if (node !== null) push(node.node, node.next);
      else {
        plain += character;
        at += 1;
      }
    }
  }
  if (plain !== "") found.push({ kind: "text", text: plain });
  return found;
}

/** @param {string} text @param {number} at @param {Set<string>} open @returns {{node: Inline, next: number} | null} */
function readCode(text, at, open) {
  if (text.charAt(at) !== "`" || text.charAt(at - 1) === "`") return null;
  const mark = /^`+/.exec(text.slice(at, at + 32))?.[0] ?? "`";
  const end = find(text, mark, at + mark.length, open);
  if (end === -1) return null;
  const inside = text.slice(at + mark.length, end);
  const trimmed = /^ .*\S.* $/s.test(inside) ? inside.slice(1, -1) : inside;
  return { node: { kind: "code", text: trimmed.replaceAll("\n", " ") }, next: end + mark.length };
}

/** @param {string} text @param {number} at @param {Set<string>} open @param {number} depth
 * @returns {{node: Inline, next: number} | null} */
function readLink(text, at, open, depth) {
  if (text.charAt(at) === "h" && !/\w/.test(text.charAt(at - 1))) {
    const address = /^https?:\/\/[^\s<>"'`]+/.exec(text.slice(at, at + 2048))?.[0].replace(/[.,;:!?)\]}*_]+$/, "");
    if (address === undefined || safeAddress(address) === null) return null;
    return {
      node: { kind: "link", to: address, inside: [{ kind: "text", text: address }] },
      next: at + address.length,
    };
  }
  if (text.charAt(at) !== "[" || depth > 0) return null;
  const middle = find(text, "](", at + 1, open);
  if (middle === -1) return null;
  const end = find(text, ")", middle + 2, open);
  if (end === -1) return null;
  const to = safeAddress(text.slice(middle + 2, end).trim());
  // Other links, such as those to files, show only their text.
  const inside = inline(text.slice(at + 1, middle), depth + 1);
  return to === null ? null : { node: { kind: "link", to, inside }, next: end + 1 };
}

/** @param {string} text @param {number} at @param {Set<string>} open @param {number} depth
 * @returns {{node: Inline, next: number} | null} */
function readMark(text, at, open, depth) {
  if (depth > MAX_DEPTH) return null;
  for (const { mark, kind } of MARKS) {
    if (!text.startsWith(mark, at) || /\s|^$/.test(text.charAt(at + mark.length))) continue;
    // `snake_case` is a name.
    if (mark.startsWith("_") && /\w/.test(text.charAt(at - 1))) continue;
    const end = findEnd(text, mark, at + mark.length, open);
    if (end === -1) continue;
    const inside = inline(text.slice(at + mark.length, end), depth + 1);
    const children = mark.length === 3 ? [{ kind: /** @type {const} */ ("emphasis"), inside }] : inside;
    return { node: { kind, inside: children }, next: end + mark.length };
  }
  return null;
}

/** @param {string} text @param {string} mark @param {number} from @param {Set<string>} open */
function findEnd(text, mark, from, open) {
  let end = find(text, mark, from, open);
  while (end !== -1) {
    const before = text.charAt(end - 1);
    const after = text.charAt(end + mark.length);
    const isEnd = end > from && !/\s/.test(before) && !(mark.startsWith("_") && /\w/.test(after));
    // A single mark must not be half of a double one.
    const isHalf = mark.length === 1 && (after === mark || before === mark);
    if (isEnd && !isHalf) return end;
    end = text.indexOf(mark, end + (isHalf ? 2 : 1));
  }
  open.add(mark);
  return -1;
}

/** @param {string} text @param {string} mark @param {number} from @param {Set<string>} open */
function find(text, mark, from, open) {
  if (open.has(mark)) return -1;
  const at = text.indexOf(mark, from);
  if (at === -1) open.add(mark);
  return at;
}

/** Returns the address if it is a web page's. @param {string} address */
function safeAddress(address) {
  try {
    const { protocol, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}

/** The source texts of the rendered blocks, by element. @type {WeakMap<Element, string[]>} */
const shownSources = new WeakMap();

/**
 * Renders a text. Unchanged blocks stay, so a growing text renders only its last block again.
 *
 * @param {Element} element
 * @param {string} text
 */
export function show(element, text) {
  const before = shownSources.get(element) ?? [];
  const blocks = parse(text);
  let same = 0;
  while (same < blocks.length && blocks[same]?.source === before[same]) same += 1;
  while (element.childNodes.length > same) element.lastChild?.remove();
  element.append(...blocks.slice(same).map(render));
  shownSources.set(
    element,
    blocks.map(({ source }) => source),
  );
}

/** @param {Block} block @returns {HTMLElement} */
function render(block) {
  switch (block.kind) {
    case "paragraph":
      return h("p", {}, ...block.inside.map(renderInline));
    case "heading":
      // The page's own headings rank above those of an answer.
      return h(/** @type {"h3"} */ (`h${Math.min(block.level + 2, 6)}`), {}, ...block.inside.map(renderInline));
    case "code":
      return renderCode(block);
    case "quote":
      return h("blockquote", {}, ...block.blocks.map(render));
    case "list": {
      const items = block.items.map((item) => h("li", {}, ...item.flatMap(renderItem)));
      return block.start === null ? h("ul", {}, ...items) : h("ol", { start: block.start }, ...items);
    }
    case "rule":
      return h("hr");
  }
}

/** A paragraph in a list has no margin. @param {Block} block */
function renderItem(block) {
  return block.kind === "paragraph" ? block.inside.map(renderInline) : [render(block)];
}

/** @param {{language: string, text: string}} code */
function renderCode({ language, text }) {
  const label = language === "" ? "Code" : `Code, ${language}`;
  const copy = h(
    "button",
    {
      class: "quiet copy",
      "aria-label": "Copy this code",
      onclick: () => {
        const setLabel = (/** @type {string} */ text) => {
          copy.textContent = text;
        };
        navigator.clipboard.writeText(text).then(
          () => setLabel("Copied"),
          () => setLabel("Not copied"),
        );
      },
    },
    "Copy",
  );
  return h(
    "div",
    { class: "code-block" },
    h("div", { class: "code-head" }, h("span", {}, language), copy),
    h("pre", { tabindex: "0", "aria-label": label }, h("code", {}, text)),
  );
}

/** Renders a sentence with code spans. @param {string} text @returns {Node[]} */
export function renderWords(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : document.createTextNode(part)));
}

/** @param {Inline} node @returns {Node} */
function renderInline(node) {
  switch (node.kind) {
    case "text":
      return document.createTextNode(node.text);
    case "code":
      return h("code", {}, node.text);
    case "strong":
      return h("strong", {}, ...node.inside.map(renderInline));
    case "emphasis":
      return h("em", {}, ...node.inside.map(renderInline));
    case "struck":
      return h("s", {}, ...node.inside.map(renderInline));
    case "link":
      return renderLink(node.to, node.inside);
    case "break":
      return h("br");
  }
}

/**
 * Renders a link with its host behind the words, unless the words are the address or the host: a model chooses the words,
 * and what it has read can be in the address.
 * @param {string} to @param {Inline[]} inside @returns {Node}
 */
function renderLink(to, inside) {
  const link = h(
    "a",
    { href: to, target: "_blank", rel: "noopener noreferrer", title: to },
    ...inside.map(renderInline),
  );
  const host = new URL(to).host;
  const words = (link.textContent ?? "").trim();
  return words === to || words === host ? link : h("span", {}, link, h("span", { class: "link-host" }, ` (${host})`));
}
