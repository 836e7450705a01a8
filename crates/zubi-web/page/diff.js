// @ts-check
// Unified diffs in git's format: finds them in a text, parses and shows them.
import { h } from "./dom.js";

/**
 * @typedef {{kind: "add" | "remove" | "context", old: number | null, new: number | null, text: string}} Line
 * @typedef {{header: string, lines: Line[]}} Hunk
 * @typedef {{path: string, change: "changed" | "created" | "deleted" | "renamed", from: string, hunks: Hunk[],
 *   added: number, removed: number, notes: string[]}} FileDiff
 */

/** Lines of a diff that are shown before the user expands it. */
const COLLAPSED_LINES = 40;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;
const HEADER =
  /^(?:new file|deleted (?:file|directory)|rename (?:from|to) |index |(?:old|new) mode |similarity |Binary file)/;

/**
 * Splits a text into plain parts and diffs.
 *
 * @param {string} text
 * @returns {({text: string} | {file: FileDiff})[]}
 */
export function split(text) {
  const lines = text.split("\n");
  /** @type {({text: string} | {file: FileDiff})[]} */
  const parts = [];
  /** @type {string[]} */
  let plain = [];
  let at = 0;
  while (at < lines.length) {
    const read = readFile(lines, at);
    if (read === null) {
      plain.push(/** @type {string} */ (lines[at]));
      at += 1;
      continue;
    }
    if (plain.join("").trim() !== "") parts.push({ text: plain.join("\n") });
    plain = [];
    parts.push({ file: read.file });
    at = read.next;
  }
  if (plain.join("").trim() !== "") parts.push({ text: plain.join("\n") });
  return parts;
}

/** @param {string[]} lines @param {number} at @returns {{file: FileDiff, next: number} | null} */
function readFile(lines, at) {
  const first = lines[at] ?? "";
  const gitHeader = /^diff --git a\/(.*) b\/(.*)$/.exec(first);
  if (gitHeader === null && !(first.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ "))) return null;
  /** @type {FileDiff} */
  const file = { path: gitHeader?.[2] ?? "", change: "changed", from: "", hunks: [], added: 0, removed: 0, notes: [] };
  let next = gitHeader === null ? at : at + 1;
  for (; HEADER.test(lines[next] ?? ""); next += 1) readHeader(file, /** @type {string} */ (lines[next]));
  if ((lines[next] ?? "").startsWith("--- ") && (lines[next + 1] ?? "").startsWith("+++ ")) {
    readNames(file, /** @type {string} */ (lines[next]).slice(4), /** @type {string} */ (lines[next + 1]).slice(4));
    next += 2;
  }
  for (let hunk = readHunk(lines, next, file); hunk !== null; hunk = readHunk(lines, next, file)) next = hunk;
  return { file, next };
}

/** @param {FileDiff} file @param {string} line */
function readHeader(file, line) {
  if (line.startsWith("new file")) file.change = "created";
  else if (line.startsWith("deleted ")) file.change = "deleted";
  else if (line.startsWith("rename from ")) {
    file.change = "renamed";
    file.from = line.slice("rename from ".length);
  } else if (line.startsWith("Binary file")) file.notes.push(line);
}

/** @param {FileDiff} file @param {string} before @param {string} after */
function readNames(file, before, after) {
  if (before === "/dev/null") file.change = "created";
  if (after === "/dev/null") file.change = "deleted";
  const name = after === "/dev/null" ? before : after;
  // In `a/src/x.rs` and `b/src/x.rs` the first letter only names the side.
  file.path = name.replace(/^[ab]\//, "").replace(/\t.*$/, "");
}

/** Reads a hunk; returns the next line's index. @param {string[]} lines @param {number} at @param {FileDiff} file */
function readHunk(lines, at, file) {
  const head = HUNK.exec(lines[at] ?? "");
  if (head === null) return null;
  let oldLine = Number(head[1]);
  let newLine = Number(head[3]);
  let oldLeft = Number(head[2] ?? 1);
  let newLeft = Number(head[4] ?? 1);
  /** @type {Hunk} */
  const hunk = { header: (head[5] ?? "").trim(), lines: [] };
  let next = at + 1;
  while (next < lines.length && (oldLeft > 0 || newLeft > 0)) {
    const line = /** @type {string} */ (lines[next]);
    const mark = line.charAt(0);
    const text = line.slice(1);
    if (mark === "+") {
      hunk.lines.push({ kind: "add", old: null, new: newLine++, text });
      file.added += 1;
      newLeft -= 1;
    } else if (mark === "-") {
      hunk.lines.push({ kind: "remove", old: oldLine++, new: null, text });
      file.removed += 1;
      oldLeft -= 1;
    } else if (mark === " " || line === "") {
      hunk.lines.push({ kind: "context", old: oldLine++, new: newLine++, text });
      oldLeft -= 1;
      newLeft -= 1;
    } else if (mark !== "\\") break;
    next += 1;
  }
  if ((lines[next] ?? "").startsWith("\\")) next += 1;
  file.hunks.push(hunk);
  return next;
}

/** Renders a text with its diffs as cards. @param {string} text @returns {HTMLElement[]} */
export function showText(text) {
  return split(text).map((part) =>
    "file" in part ? showFile(part.file) : h("pre", { class: "plain", tabindex: "0" }, part.text),
  );
}

/** @param {FileDiff} file */
function showFile(file) {
  const table = h("table", { class: "diff" });
  const label = `${file.path}: ${CHANGES[file.change]}, ${file.added} lines added, ${file.removed} removed`;
  const all = file.hunks.flatMap(({ header, lines }, index) => [
    ...(index > 0 || header !== "" ? [{ kind: /** @type {const} */ ("gap"), old: null, new: null, text: header }] : []),
    ...lines,
  ]);
  /** @param {number} from @param {number} to */
  const show = (from, to) => table.append(...all.slice(from, to).map(showLine));
  show(0, COLLAPSED_LINES);
  const rest = all.length - COLLAPSED_LINES;
  const more =
    rest > 0 &&
    h(
      "button",
      {
        class: "quiet",
        onclick: (/** @type {MouseEvent} */ event) => {
          show(COLLAPSED_LINES, all.length);
          /** @type {HTMLElement} */ (event.currentTarget).remove();
        },
      },
      `Show ${rest} more lines`,
    );
  return h(
    "figure",
    { class: "diff-card", "aria-label": label },
    h(
      "figcaption",
      {},
      h("span", { class: "path" }, file.path),
      h("span", { class: "change" }, file.from === "" ? CHANGES[file.change] : `renamed from ${file.from}`),
      h("span", { class: "added" }, `+${file.added}`),
      h("span", { class: "removed" }, `−${file.removed}`),
    ),
    ...file.notes.map((note) => h("p", { class: "note" }, note)),
    all.length > 0 &&
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Changes of ${file.path}` }, table),
    more,
  );
}

const CHANGES = { changed: "changed", created: "new file", deleted: "deleted", renamed: "renamed" };
const MARKS = { add: "+", remove: "−", context: " ", gap: "⋯" };
const MARK_LABELS = { add: "added", remove: "removed", context: "", gap: "" };

/** The mark repeats what the colour means. @param {Line | {kind: "gap", old: null, new: null, text: string}} line */
function showLine(line) {
  return h(
    "tr",
    { class: line.kind },
    h("td", { class: "number" }, line.old === null ? "" : String(line.old)),
    h("td", { class: "number" }, line.new === null ? "" : String(line.new)),
    h("td", { class: "mark", "aria-label": MARK_LABELS[line.kind] || null }, MARKS[line.kind]),
    h("td", { class: "code" }, line.text),
  );
}
