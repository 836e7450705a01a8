// @ts-check
// Approval prompts. A prompt shows the whole effect of a call, and the recent calls that each approval would also have
// allowed.
import { h, messageOf, newId } from "./dom.js";
import { showText } from "./diff.js";
import { jsonInput } from "./form.js";
import { renderWords } from "./markdown.js";
import { SCOPES } from "./state.js";

/**
 * A form for one prompt. `answer` receives a `zubi_tool_api::cx::ApprovalAnswer`, and fails if zubi did not accept it.
 *
 * @param {import("./state.js").ApprovalPrompt} prompt
 * @param {(answer: unknown) => Promise<void>} answer
 * @returns {HTMLElement}
 */
export function makePrompt(prompt, answer) {
  const { request } = prompt;
  const title = newId();
  const args = jsonInput();
  args.set(request.arguments);
  const unchanged = JSON.stringify(request.arguments ?? {});
  const isEdited = () => JSON.stringify(args.read().value) !== unchanged;
  const options = makeOptions(request.options ?? []);
  const reason = h("input", { type: "text", id: newId(), maxlength: "2000", autocomplete: "off" });
  const problem = h("p", { class: "problem", role: "alert" });
  // The form describes the original arguments: edited ones get a prompt of their own.
  const editNote = h(
    "p",
    { class: "about", hidden: true },
    "zubi checks the changed arguments first and shows their effect, unless a rule allows them.",
  );
  const edit = h(
    "details",
    {
      class: "edit",
      oninput: () => {
        editNote.hidden = !isEdited();
        options.element.hidden = !editNote.hidden || options.isOnly;
        allowButton.textContent = editNote.hidden ? "Allow" : "Use these arguments";
      },
    },
    h("summary", {}, "Edit the arguments"),
    args.element,
    editNote,
  );
  const allowButton = h("button", { type: "submit", class: "primary" }, "Allow");

  let isSent = false;
  /** @param {() => unknown} build */
  const send = async (build) => {
    const body = isSent ? undefined : build();
    if (body === undefined) return;
    // The buttons stay enabled because a disabled button would lose the focus.
    isSent = true;
    form.setAttribute("aria-busy", "true");
    try {
      await answer(body);
    } catch (error) {
      problem.textContent = messageOf(error);
      form.removeAttribute("aria-busy");
      isSent = false;
    }
  };
  const allow = () => {
    const { value, problem: invalid } = args.read();
    if (invalid !== undefined) {
      edit.open = true;
      problem.textContent = `The arguments cannot be sent. ${invalid}`;
      return undefined;
    }
    return { allow: isEdited() ? { option: 0, arguments: value } : { option: options.chosen(), arguments: null } };
  };
  const deny = () => ({ deny: { text: reason.value.trim() === "" ? null : reason.value.trim() } });

  const form = h(
    "form",
    {
      class: "prompt",
      "aria-labelledby": title,
      tabindex: "-1",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void send(allow);
      },
    },
    h("h3", { id: title }, h("span", { class: "prefix" }, "Allow this call? "), prompt.summary),
    h("p", { class: "reason" }, ...renderWords(sentence(request.why))),
    describe(request),
    typeof request.footprint?.preview === "string" &&
      h("div", { class: "preview" }, ...showText(request.footprint.preview)),
    edit,
    options.element,
    problem,
    h(
      "div",
      { class: "answers" },
      allowButton,
      h("button", { type: "button", class: "danger", onclick: () => void send(deny) }, "Deny"),
      h("label", { class: "sr", for: reason.id }, "Reason for the denial"),
      reason,
    ),
  );
  reason.placeholder = "Reason for the denial (optional)";
  reason.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    // A user who writes a reason wants to deny the call.
    event.preventDefault();
    void send(deny);
  });
  return form;
}

/** Describes the call and its effect. @param {any} request */
function describe({ tool, rule, arguments: args, footprint = {} }) {
  /** @type {(HTMLElement)[]} */
  const rows = [];
  /** @param {string} name @param {unknown} values @param {(value: any) => string} [show] */
  const row = (name, values, show = String) => {
    const all = [values ?? []].flat(1);
    if (all.length === 0) return;
    rows.push(h("dt", {}, name), h("dd", {}, ...all.map((value) => h("code", {}, show(value)))));
  };
  for (const [name, value] of Object.entries(args ?? {})) rows.push(h("dt", {}, name), h("dd", {}, argument(value)));
  row("Runs", (footprint.commands ?? []).map(commandLine));
  row("Directory", footprint.directory);
  row("Writes", footprint.writes);
  row("Reads", footprint.reads);
  row("Hosts", footprint.hosts);
  row("Secrets", footprint.secrets);
  /** @param {string} name @param {string} text */
  const sentenceRow = (name, text) => rows.push(h("dt", {}, name), h("dd", {}, h("span", {}, ...renderWords(text))));
  for (const clause of footprint.unresolved ?? []) sentenceRow("Not analysable", sentence(clause));
  if (footprint.sandbox !== undefined) sentenceRow("Sandbox", footprint.sandbox);
  else if ((footprint.commands ?? []).length > 0) sentenceRow("Sandbox", "none: the command has all your permissions");
  sentenceRow("Effect", EFFECTS[footprint.effect] ?? footprint.effect ?? "not known");
  sentenceRow("Tool", tool);
  sentenceRow("Rule", rule ?? "No rule matches; such calls require approval by default.");
  return h("dl", {}, ...rows);
}

/** A whole argument: the user must see all of it. @param {unknown} value */
function argument(value) {
  return h("pre", { tabindex: "0" }, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

/** @type {Record<string, string>} */
const EFFECTS = {
  read: "reads only",
  plan: "prepares a change",
  write: "changes files of the workspace",
  execute: "runs a program with unknown effects",
  network: "uses the network",
};

/** The words of a command as a user would type them. Expansions that the shell evaluates are shown as written.
 * @param {string[]} words */
function commandLine(words) {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$|["$`]/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** @param {{scope: string, label: string, would_also_allow?: string[]}[]} options */
function makeOptions(options) {
  const name = newId();
  const inputs = options.map((_, index) =>
    h("input", { type: "radio", name, value: String(index), checked: index === 0 }),
  );
  const entries = options.map((option, index) => {
    const otherCalls = option.would_also_allow ?? [];
    return h(
      "div",
      { class: "option" },
      h(
        "label",
        {},
        inputs[index],
        h(
          "span",
          {},
          ...renderWords(option.label || (SCOPES[option.scope] ?? option.scope)),
          option.scope !== "once" &&
            otherCalls.length === 0 &&
            h("span", { class: "about" }, " · would have allowed no other recent call"),
        ),
      ),
      option.scope !== "once" &&
        otherCalls.length > 0 &&
        h(
          "details",
          {},
          h("summary", {}, `Would also have allowed ${otherCalls.length} recent calls`),
          h("ul", {}, ...otherCalls.map((call) => h("li", {}, ...renderWords(call)))),
        ),
    );
  });
  const element = h("fieldset", { class: "options" }, h("legend", {}, "How long the approval lasts"), ...entries);
  // A single option needs no choice.
  const isOnly = options.length < 2;
  element.hidden = isOnly;
  return {
    element,
    isOnly,
    chosen: () =>
      Math.max(
        0,
        inputs.findIndex((input) => input.checked),
      ),
  };
}

/** @param {unknown} clause */
function sentence(clause) {
  const text = String(clause ?? "");
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?:]$/.test(text) ? "" : "."}`;
}

/**
 * Shows prompts in a region. Existing forms stay as they are: the user may be typing in them.
 *
 * @param {HTMLElement} region
 * @param {{
 *   key: string,
 *   prompt: import("./state.js").ApprovalPrompt,
 *   answer: (answer: unknown) => Promise<void>,
 * }[]} wanted
 * @param {Map<string, HTMLElement>} shown The forms, by key.
 * @returns {import("./state.js").ApprovalPrompt[]} The new ones.
 */
export function showPrompts(region, wanted, shown) {
  const added = wanted.filter(({ key }) => !shown.has(key));
  const removed = [...shown.keys()].filter((key) => !wanted.some((entry) => entry.key === key));
  if (added.length === 0 && removed.length === 0) return [];
  const hadFocus = region.contains(document.activeElement);
  for (const key of removed) {
    shown.get(key)?.remove();
    shown.delete(key);
  }
  for (const { key, prompt, answer } of added) {
    const form = makePrompt(prompt, answer);
    shown.set(key, form);
    region.append(form);
  }
  region.hidden = shown.size === 0;
  // After an answer from the keyboard, the focus moves to the next prompt.
  if (hadFocus && !region.contains(document.activeElement)) {
    shown.values().next().value?.focus({ preventScroll: true });
    region.scrollTop = 0;
  }
  return added.map(({ prompt }) => prompt);
}
