// @ts-check
// The page: renders events and handles the user's actions.
import { showPrompts } from "./approvals.js";
import { Composer } from "./composer.js";
import { fill, h, messageOf, setText, usageTexts } from "./dom.js";
import { INSPECTOR, Inspector } from "./inspector.js";
import { List } from "./list.js";
import { Log } from "./log.js";
import { Conversation } from "./state.js";
import { connect } from "./transport.js";

/**
 * As `wire::Summary`.
 *
 * @typedef {{id: string, title: string, updated: number, state: string, model?: string, found?: string | null}} Summary
 */

/** Events that change the list of conversations. */
const LIST_EVENTS = new Set(["began", "titled", "asked", "question", "decision", "ended"]);
/** The maximum number of characters of an answer that a screen reader reads out. */
const MAX_ANNOUNCED = 1000;

/** @template {HTMLElement} T @param {string} id @returns {T} */
function element(id) {
  return /** @type {T} */ (document.getElementById(id));
}

class App {
  #transport = connect();
  #log = new Log();
  /** The shown conversation; null until there is one. @type {Conversation | null} */
  #conversation = null;
  /** The conversation that is being opened, and its events so far. @type {{id: string, events: any[]} | null} */
  #opening = null;
  /** The conversation whose opening failed: the next reload opens it. @type {string | undefined} */
  #unopened;
  #inspected = new Conversation(INSPECTOR);
  /** @type {Map<string, HTMLElement>} */
  #prompts = new Map();
  #isDrawing = false;
  #view = "chat";
  #model = "";
  #list;
  #composer;
  #inspector;

  constructor() {
    const { conversation = "", model = "" } = this.#transport.loadState();
    this.#model = String(model);
    element("log").replaceWith(this.#log.element);
    this.#list = new List(
      { list: element("conversations"), search: element("search"), found: element("found"), more: element("more") },
      (query) => this.#transport.request("conversations", query === "" ? {} : { query }),
      (id) => void this.#open(id),
    );
    this.#composer = new Composer(
      {
        form: element("composer"),
        text: element("text"),
        problem: element("problem"),
        model: element("model"),
        providers: element("providers"),
        stop: element("stop"),
        send: element("send"),
      },
      {
        send: (text, chosen) => this.#send(text, chosen),
        stop: () => void this.#stop(),
        chosen: (id) => this.#choose(id),
      },
    );
    this.#inspector = new Inspector(
      element("tools"),
      (method, params) => this.#inspectorRequest(method, params),
      (text) => this.#announce(text),
    );
    this.#wire();
    document.body.dataset.kind = this.#transport.kind;
    if (typeof conversation === "string" && conversation !== "") this.#opening = { id: conversation, events: [] };
    this.#transport.listen({
      onEvent: ({ conversation: id, event }) => this.#handleEvent(id, event),
      onReload: () => void this.#reload(),
      onUnavailable: (reason) => this.#showUnavailable(reason),
      onCommand: (command) => this.#runCommand(command),
    });
    this.#composer.focus();
  }

  #wire() {
    element("new").addEventListener("click", () => this.#new());
    element("menu").addEventListener("click", () =>
      this.#menu(element("menu").getAttribute("aria-expanded") !== "true"),
    );
    element("show-chat").addEventListener("click", () => this.#show("chat"));
    element("show-tools").addEventListener("click", () => this.#show("tools"));
    element("rename").addEventListener("click", () => void this.#rename());
    element("export").addEventListener("click", () => void this.#export());
    element("delete").addEventListener("click", () => void this.#delete());
    const latest = element("latest");
    latest.addEventListener("click", () => this.#log.toEnd());
    this.#log.element.addEventListener("scroll", () => (latest.hidden = this.#log.isAtEnd()));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.matches("input, textarea, select");
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      if (this.#view === "tools") this.#inspector.focus();
      else this.#menu(true, "search");
    } else if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) this.#escape();
  }

  /** Closes the open panel, otherwise stops the running turn. */
  #escape() {
    // A dialog is closed by the browser.
    if (document.querySelector("dialog[open]") !== null) return;
    if (document.body.classList.contains("menu")) this.#menu(false);
    else if (this.#view === "tools") this.#show("chat");
    else if ((this.#conversation?.running ?? 0) > 0) void this.#stop();
    this.#composer.focus();
  }

  /** @param {boolean} isOpen @param {string} [focus] */
  #menu(isOpen, focus = "new") {
    document.body.classList.toggle("menu", isOpen);
    element("menu").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) element(focus).focus();
  }

  /** @param {string} view */
  #show(view) {
    this.#view = view;
    document.body.dataset.view = view;
    for (const name of ["chat", "tools"]) {
      element(name).hidden = name !== view;
      if (name === view) element(`show-${name}`).setAttribute("aria-current", "page");
      else element(`show-${name}`).removeAttribute("aria-current");
    }
    element("composer").hidden = view !== "chat";
    this.#menu(false);
    if (view === "tools") void this.#inspector.load().then(() => this.#inspector.focus());
    else this.#composer.focus();
  }

  // Events

  /** @param {string} id @param {any} event */
  #handleEvent(id, event) {
    if (LIST_EVENTS.has(event.type) && id !== INSPECTOR) this.#list.refresh();
    if (this.#opening?.id === id) this.#opening.events.push(event);
    else if (id === INSPECTOR) this.#inspect(event);
    else if (this.#conversation?.id === id) this.#apply(this.#conversation, event);
  }

  /** @param {Conversation} conversation @param {any} event */
  #apply(conversation, event) {
    const outcome = conversation.apply(event);
    if (outcome === "gap") void this.#open(conversation.id);
    if (outcome !== "applied") return;
    if (event.type === "answered" && event.said.text !== "")
      this.#announce(`zubi: ${event.said.text.slice(0, MAX_ANNOUNCED)}`);
    if (event.type === "ended" && event.reason !== "completed") this.#announce(`The turn has ended: ${event.reason}.`);
    this.#draw();
  }

  /** Handles an event of the inspector: those are not stored, so they have no order to check. @param {any} event */
  #inspect(event) {
    if (event.type === "progress") this.#inspector.progress(event.message);
    this.#inspected.apply({ ...event, seq: this.#inspected.seq + 1 });
    this.#draw();
  }

  /** @param {string} method @param {unknown} [params] */
  async #inspectorRequest(method, params) {
    try {
      return await this.#transport.request(method, params);
    } finally {
      // The prompts of a finished call are closed, however it ended.
      if (method === "call") this.#inspected = new Conversation(INSPECTOR);
      this.#draw();
    }
  }

  /** @param {string} reason */
  #showUnavailable(reason) {
    const banner = element("unavailable");
    banner.hidden = false;
    setText(banner, reason);
  }

  async #reload() {
    element("unavailable").hidden = true;
    this.#list.refresh();
    this.#inspected = new Conversation(INSPECTOR);
    const shown = this.#opening?.id ?? this.#unopened ?? this.#conversation?.id;
    if (shown !== undefined) void this.#open(shown);
    try {
      const [hello, models] = await Promise.all([this.#transport.request("hello"), this.#transport.request("models")]);
      setText(
        element("folder"),
        hello.folders.map((/** @type {string} */ path) => path.split(/[\\/]/).at(-1)).join(", "),
      );
      element("folder").title = hello.folders.join("\n");
      element("untrusted").hidden = hello.trusted;
      this.#composer.models(models, this.#model || (this.#conversation?.model ?? "") || hello.model);
    } catch (error) {
      this.#composer.showProblem(messageOf(error));
    }
  }

  /** @param {import("./transport.js").ChatCommand} command */
  #runCommand(command) {
    this.#show("chat");
    if (command.do === "new") this.#new();
    else if (command.do === "open") void this.#open(command.conversation);
  }

  // The user's actions

  /** @param {string} id */
  async #open(id) {
    const opening = { id, events: /** @type {any[]} */ ([]) };
    this.#opening = opening;
    try {
      const opened = await this.#transport.request("open", { conversation: id });
      if (this.#opening !== opening) return;
      this.#opening = null;
      this.#unopened = undefined;
      const conversation = new Conversation(id);
      for (const event of [...opened.events, ...opened.passing]) conversation.apply(event);
      if (opened.summary.title !== "") conversation.title = opened.summary.title;
      const isOther = this.#conversation?.id !== id;
      this.#conversation = conversation;
      this.#composer.showProblem(
        opened.summary.state === "elsewhere"
          ? "Another process runs this conversation. You can only read it here."
          : "",
      );
      if (isOther) this.#composer.choose(conversation.model);
      this.#storeState();
      this.#show("chat");
      for (const event of opening.events) this.#apply(conversation, event);
      this.#draw();
      if (isOther) requestAnimationFrame(() => this.#log.toEnd());
    } catch (error) {
      if (this.#opening !== opening) return;
      this.#opening = null;
      this.#unopened = id;
      this.#composer.showProblem(messageOf(error));
    }
  }

  #new() {
    this.#opening = null;
    this.#unopened = undefined;
    this.#conversation = null;
    this.#composer.showProblem("");
    this.#storeState();
    this.#show("chat");
    this.#draw();
  }

  /** @param {string} text @param {string} model */
  async #send(text, model) {
    const conversation = this.#opening?.id ?? this.#conversation?.id;
    const shown = this.#conversation;
    // Computed before the request: the event may arrive before the response.
    const isQueued = shown !== null && shown.id === conversation && shown.running > 0;
    // A running turn ends with the model with which it began.
    const modelParam = isQueued || model === "" ? {} : { model };
    const params = { text, ...(conversation === undefined ? {} : { conversation }), ...modelParam };
    if (isQueued) shown.queueMessage(text);
    this.#draw();
    const sent = await this.#transport.request("send", params).catch((error) => {
      if (isQueued) shown.queued.pop();
      this.#draw();
      throw error;
    });
    this.#log.toEnd();
    if (this.#conversation?.id !== sent.conversation && this.#opening?.id !== sent.conversation)
      await this.#open(sent.conversation);
  }

  async #stop() {
    const conversation = this.#conversation?.id;
    if (conversation === undefined) return;
    await this.#transport
      .request("stop", { conversation })
      .catch((error) => this.#composer.showProblem(messageOf(error)));
  }

  /** @param {string} model */
  #choose(model) {
    this.#model = model;
    this.#storeState();
  }

  #storeState() {
    this.#transport.storeState({ conversation: this.#conversation?.id ?? this.#unopened ?? "", model: this.#model });
  }

  async #rename() {
    const conversation = this.#conversation;
    if (conversation === null) return;
    const input = h("input", { type: "text", maxlength: "200", value: conversation.title, "aria-label": "Title" });
    if (!(await confirmDialog("Rename this conversation", input, "Rename")) || input.value.trim() === "") return;
    await this.#try("rename", { conversation: conversation.id, title: input.value.trim() });
  }

  async #export() {
    const conversation = this.#conversation?.id;
    if (conversation === undefined) return;
    const exported = await this.#try("export", { conversation });
    if (exported === null) return;
    const text = h(
      "textarea",
      { readonly: true, rows: 16, class: "json", "aria-label": exported.name },
      exported.scenario,
    );
    const address = URL.createObjectURL(new Blob([exported.scenario], { type: "application/yaml" }));
    const link = h("a", { href: address, download: exported.name }, `Save ${exported.name}`);
    const about = h(
      "p",
      {},
      "The model ",
      h("code", {}, "mock:FILE"),
      " and the command ",
      h("code", {}, "zubi agent replay FILE"),
      " replay a scenario. ",
      link,
    );
    const isWanted = await confirmDialog("This conversation as a scenario", h("div", {}, about, text), "Copy");
    if (isWanted)
      await navigator.clipboard
        .writeText(exported.scenario)
        .catch((error) => this.#composer.showProblem(messageOf(error)));
    URL.revokeObjectURL(address);
  }

  async #delete() {
    const conversation = this.#conversation;
    if (conversation === null) return;
    const warning = h(
      "p",
      {},
      `“${conversation.title}” will be deleted permanently. This does not undo changes of files.`,
    );
    if (!(await confirmDialog("Delete this conversation?", warning, "Delete"))) return;
    if ((await this.#try("delete", { conversation: conversation.id })) !== null) this.#new();
    this.#list.refresh();
  }

  /** @param {string} method @param {unknown} params */
  async #try(method, params) {
    try {
      const result = await this.#transport.request(method, params);
      this.#composer.showProblem("");
      return result ?? {};
    } catch (error) {
      this.#composer.showProblem(messageOf(error));
      return null;
    }
  }

  // Rendering

  /** @param {string} text */
  #announce(text) {
    element("polite").textContent = text;
  }

  /** Draws once for all events of one frame. */
  #draw() {
    this.#drawPrompts();
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawConversation();
    });
  }

  #drawConversation() {
    const conversation = this.#conversation;
    this.#log.element.hidden = conversation === null;
    element("welcome").hidden = conversation !== null;
    element("actions").hidden = conversation === null;
    setText(element("title"), conversation === null ? "New conversation" : conversation.title || "Untitled");
    drawTokens(element("tokens"), conversation);
    this.#composer.running((conversation?.running ?? 0) > 0);
    this.#list.mark(conversation?.id ?? "");
    if (conversation === null) return;
    this.#log.show(conversation);
    element("latest").hidden = this.#log.isAtEnd();
  }

  #drawPrompts() {
    const wanted = [this.#conversation, this.#inspected].flatMap((conversation) =>
      conversation === null
        ? []
        : [...conversation.prompts.values()].map((prompt) => ({
            key: `${conversation.id} ${prompt.id}`,
            prompt,
            answer: async (/** @type {unknown} */ answer) => {
              await this.#transport.request("answer", { conversation: conversation.id, question: prompt.id, answer });
            },
          })),
    );
    const hadFocus = element("prompts").contains(document.activeElement);
    const added = showPrompts(element("prompts"), wanted, this.#prompts);
    if (hadFocus && this.#prompts.size === 0) this.#composer.focus();
    for (const { summary, request } of added)
      element("urgent").textContent = `zubi requests approval: ${summary}. ${request.why}`;
    document.title = wanted.length > 0 ? "(?) zubi" : "zubi";
  }
}

/** @param {HTMLElement} target @param {Conversation | null} conversation */
function drawTokens(target, conversation) {
  const [all, turn] = conversation === null ? ["", ""] : usageTexts(conversation.usage, conversation.turnUsage);
  if (target.textContent !== all + turn) fill(target, all, turn !== "" && h("span", { class: "turn" }, turn));
}

/**
 * Shows a dialog; resolves to true if the user confirms.
 *
 * @param {string} title
 * @param {HTMLElement} body
 * @param {string} confirmLabel
 * @returns {Promise<boolean>}
 */
function confirmDialog(title, body, confirmLabel) {
  /** @type {HTMLDialogElement} */
  const dialog = element("dialog");
  setText(element("dialog-title"), title);
  fill(element("dialog-body"), body);
  setText(element("dialog-confirm"), confirmLabel);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "confirm"), { once: true }),
  );
}

new App();
