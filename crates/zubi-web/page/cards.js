// @ts-check
// Approval prompts. A card shows the whole effect of a call, and which recent calls each approval would have allowed as
// well.
import { h, messageOf, newId } from "./dom.js";
import { showText } from "./diff.js";
import { jsonInput } from "./form.js";
import { renderWords } from "./markdown.js";
import { SCOPES } from "./state.js";

/**
 * A card for one question. `answer` is given what `zubi_tool_api::cx::ApprovalAnswer` says, and fails when it was not taken.
 *
 * @param {import("./state.js").Question} question
 * @param {(answer: unknown) => Promise<void>} answer
 * @returns {HTMLElement}
 */
export function makeCard(question, answer) {
  const { request } = question;
  const title = newId();
  const args = jsonInput();
  args.set(request.arguments);
  const unchanged = JSON.stringify(request.arguments ?? {});
  const isEdited = () => JSON.stringify(args.read().value) !== unchanged;
  const options = makeOptions(request.options ?? []);
  const words = h("input", { type: "text", id: newId(), maxlength: "2000", autocomplete: "off" });
  const problem = h("p", { class: "problem", role: "alert" });
  // The card describes the original arguments: changed ones get a prompt of their own.
  const anew = h(
    "p",
    { class: "about", hidden: true },
    "zubi checks the changed arguments first and shows their effect, unless a rule allows them.",
  );
  const edit = h(
    "details",
    {
      class: "edit",
      oninput: () => {
        anew.hidden = !isEdited();
        options.element.hidden = !anew.hidden || options.isOnly;
        yes.textContent = anew.hidden ? "Allow" : "Use these arguments";
      },
    },
    h("summary", {}, "Edit the arguments"),
    args.element,
    anew,
  );
  const yes = h("button", { type: "submit", class: "primary" }, "Allow");

  let isSent = false;
  /** @param {() => unknown} make */
  const send = async (make) => {
    const made = isSent ? undefined : make();
    if (made === undefined) return;
    // No button is switched off: the one that was pressed would lose the focus.
    isSent = true;
    card.setAttribute("aria-busy", "true");
    try {
      await answer(made);
    } catch (error) {
      problem.textContent = messageOf(error);
      card.removeAttribute("aria-busy");
      isSent = false;
    }
  };
  const allow = () => {
    const { value, problem: wrong } = args.read();
    if (wrong !== undefined) {
      edit.open = true;
      problem.textContent = `The arguments cannot be sent. ${wrong}`;
      return undefined;
    }
    return { allow: isEdited() ? { option: 0, arguments: value } : { option: options.chosen(), arguments: null } };
  };
  const deny = () => ({ deny: { text: words.value.trim() === "" ? null : words.value.trim() } });

  const card = h(
    "form",
    {
      class: "card question",
      "aria-labelledby": title,
      tabindex: "-1",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void send(allow);
      },
    },
    h("h3", { id: title }, h("span", { class: "asks" }, "May this be done? "), question.summary),
    h("p", { class: "why" }, ...renderWords(sentence(request.why))),
    describe(request),
    typeof request.footprint?.preview === "string" &&
      h("div", { class: "preview" }, ...showText(request.footprint.preview)),
    edit,
    options.element,
    problem,
    h(
      "div",
      { class: "answers" },
      yes,
      h("button", { type: "button", class: "danger", onclick: () => void send(deny) }, "Deny"),
      h("label", { class: "sr", for: words.id }, "Reason for the model when you deny the call"),
      words,
    ),
  );
  words.placeholder = "Reason for the model (optional)";
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    // A user who writes a reason wants to deny the call.
    event.preventDefault();
    void send(deny);
  });
  return card;
}

/** The effect of the call. @param {any} request */
function describe({ tool, rule, arguments: given, footprint = {} }) {
  /** @type {(HTMLElement)[]} */
  const rows = [];
  /** @param {string} name @param {unknown} values @param {(value: any) => string} [show] */
  const row = (name, values, show = String) => {
    const all = [values ?? []].flat(1);
    if (all.length === 0) return;
    rows.push(h("dt", {}, name), h("dd", {}, ...all.map((value) => h("code", {}, show(value)))));
  };
  for (const [name, value] of Object.entries(given ?? {})) rows.push(h("dt", {}, name), h("dd", {}, argument(value)));
  row("Runs", (footprint.commands ?? []).map(commandLine));
  row("Directory", footprint.directory);
  row("Writes", footprint.writes);
  row("Reads", footprint.reads);
  row("Hosts", footprint.hosts);
  row("Secrets", footprint.secrets);
  /** @param {string} name @param {string} text */
  const words = (name, text) => rows.push(h("dt", {}, name), h("dd", {}, h("span", {}, ...renderWords(text))));
  for (const clause of footprint.unresolved ?? []) words("Not analysable", sentence(clause));
  if (footprint.sandbox !== undefined) words("Sandbox", footprint.sandbox);
  else if ((footprint.commands ?? []).length > 0) words("Sandbox", "none: it may do what you may do");
  words("Effect", EFFECTS[footprint.effect] ?? footprint.effect ?? "not known");
  words("Tool", tool);
  words("Rule", rule ?? "No rule matches; such calls require approval by default.");
  return h("dl", {}, ...rows);
}

/** All of an argument: what is cut is not known. @param {unknown} value */
function argument(value) {
  return h("pre", { tabindex: "0" }, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

/** @type {Record<string, string>} */
const EFFECTS = {
  read: "looks only",
  plan: "prepares a change",
  write: "changes files of the workspace",
  execute: "runs something whose effect cannot be known",
  network: "reaches beyond this machine",
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
    const also = option.would_also_allow ?? [];
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
            also.length === 0 &&
            h("span", { class: "about" }, " · would have allowed no other call so far"),
        ),
      ),
      option.scope !== "once" &&
        also.length > 0 &&
        h(
          "details",
          {},
          h("summary", {}, `Would also have allowed ${also.length} of the last calls`),
          h("ul", {}, ...also.map((call) => h("li", {}, ...renderWords(call)))),
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
 * Shows the cards of these prompts in a region. Existing cards stay as they are: the user may be typing in them.
 *
 * @param {HTMLElement} region
 * @param {{key: string, question: import("./state.js").Question, answer: (answer: unknown) => Promise<void>}[]} wanted
 * @param {Map<string, HTMLElement>} cards What is shown, by key.
 * @returns {import("./state.js").Question[]} Those that are new.
 */
export function showCards(region, wanted, cards) {
  const fresh = wanted.filter(({ key }) => !cards.has(key));
  const gone = [...cards.keys()].filter((key) => !wanted.some((one) => one.key === key));
  if (fresh.length === 0 && gone.length === 0) return [];
  const hadFocus = region.contains(document.activeElement);
  for (const key of gone) {
    cards.get(key)?.remove();
    cards.delete(key);
  }
  for (const { key, question, answer } of fresh) {
    const card = makeCard(question, answer);
    cards.set(key, card);
    region.append(card);
  }
  region.hidden = cards.size === 0;
  // After an answer by keyboard the focus moves to the next prompt.
  if (hadFocus && !region.contains(document.activeElement)) {
    cards.values().next().value?.focus({ preventScroll: true });
    region.scrollTop = 0;
  }
  return fresh.map(({ question }) => question);
}
