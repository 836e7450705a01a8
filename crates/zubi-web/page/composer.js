// @ts-check
// The composer: the text, the model, and the buttons that send and stop.
import { fill, h, messageOf, setText } from "./dom.js";

/** @typedef {{id: string, name: string, provider: string, context?: number}} Model */

export class Composer {
  #text;
  #problem;
  #model;
  #providers;
  #stop;
  #send;
  #isSending = false;
  #isRunning = false;

  /**
   * @param {{form: HTMLFormElement, text: HTMLTextAreaElement, problem: HTMLElement, model: HTMLSelectElement,
   *   providers: HTMLDetailsElement, stop: HTMLButtonElement, send: HTMLButtonElement}} elements
   * @param {{send: (text: string, model: string) => Promise<void>, stop: () => void,
   *   chosen: (model: string) => void}} actions
   */
  constructor({ form, text, problem, model, providers, stop, send }, actions) {
    this.#text = text;
    this.#problem = problem;
    this.#model = model;
    this.#providers = providers;
    this.#stop = stop;
    this.#send = send;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit(actions.send);
    });
    text.addEventListener("keydown", (event) => {
      // During composition, Enter chooses a word.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    stop.addEventListener("click", () => actions.stop());
    model.addEventListener("change", () => actions.chosen(model.value));
  }

  focus() {
    this.#text.focus();
  }

  /** @param {(text: string, model: string) => Promise<void>} send */
  async submit(send) {
    const text = this.#text.value.trim();
    if (text === "" || this.#isSending) return;
    this.#isSending = true;
    this.#draw();
    try {
      await send(text, this.#model.value);
      this.#text.value = "";
      setText(this.#problem, "");
    } catch (error) {
      // The text stays, so that the user can send it again.
      this.showProblem(messageOf(error));
    } finally {
      this.#isSending = false;
      this.#draw();
    }
  }

  /** Shows an error message. @param {string} problem */
  showProblem(problem) {
    setText(this.#problem, problem);
  }

  /** @param {boolean} isRunning */
  running(isRunning) {
    if (this.#isRunning === isRunning) return;
    // The stop button disappears, so the text field gets its focus.
    if (!isRunning && document.activeElement === this.#stop) this.#text.focus();
    this.#isRunning = isRunning;
    this.#draw();
  }

  #draw() {
    this.#stop.hidden = !this.#isRunning;
    this.#send.setAttribute("aria-disabled", String(this.#isSending));
    setText(this.#send, this.#isRunning ? "Add" : "Send");
    this.#send.title = this.#isRunning ? "Sent with the next model request" : "";
    this.#text.placeholder = this.#isRunning ? "Add a message to this turn" : "Describe a task…";
  }

  /** @param {{models: Model[], problems: {provider: string, message: string}[]}} list @param {string} chosen */
  models({ models, problems }, chosen) {
    const providers = new Map(
      models.map(({ provider }) => [provider, models.filter((model) => model.provider === provider)]),
    );
    fill(
      this.#model,
      ...[...providers].map(([provider, own]) =>
        h(
          "optgroup",
          { label: provider },
          ...own.map((model) => h("option", { value: model.id, title: model.id }, model.name)),
        ),
      ),
    );
    this.choose(chosen);
    this.#providers.hidden = problems.length === 0;
    const [summary, entries] = this.#providers.children;
    if (summary !== undefined) setText(summary, `More (${problems.length})`);
    if (entries !== undefined)
      fill(
        entries,
        ...problems.map((problem) => h("li", {}, h("strong", {}, problem.provider), `: ${problem.message}`)),
      );
  }

  /** @param {string} id */
  choose(id) {
    if (id === "") return;
    // The list may lack the model of a conversation.
    if (![...this.#model.options].some((option) => option.value === id))
      this.#model.append(h("option", { value: id }, id));
    this.#model.value = id;
  }

  get model() {
    return this.#model.value;
  }
}
