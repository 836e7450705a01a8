// @ts-check
// The state of a conversation, computed from its events. Independent of the page: the same events give the same state,
// whether they arrive one by one or all at once.

/**
 * @typedef {{seq: number, at: number, type: string, [field: string]: any}} Event As `zubi_agent::event::Event`.
 * @typedef {{input: number, output: number, cached: number}} Usage
 * @typedef {"pending" | "running" | "waiting" | "ok" | "failed" | "refused" | "stopped"} Status
 * @typedef {{id: string, call: string, request: any, summary: string}} ApprovalPrompt
 */

/**
 * An entry of the conversation. `revision` grows with each visible change.
 *
 * @typedef {{key: number, turn: number, at: number, revision: number} & (
 *     {kind: "user", text: string, queued: boolean}
 *   | {kind: "assistant", iteration: number, model: string, text: string, thoughts: string, live: boolean,
 *      interrupted: boolean}
 *   | Call
 *   | {kind: "retry", message: string, attempt: number, wait: number}
 *   | {kind: "notice", text: string}
 *   | {kind: "compacted", before: number, after: number, summary: string}
 *   | {kind: "ended", reason: string, text: string, data: any, problem: string, iterations: number, calls: number,
 *      usage: Usage, duration: number}
 * )} Item
 */

/**
 * A call that the model requests. `delegates`: the tool only calls another one, and the prompts concern that call.
 *
 * @typedef {{kind: "call", id: string, tool: string, summary: string, arguments: any, effect: string, preview: string,
 *   delegates: boolean, status: Status, progress: string, result: string | null, failure: string, duration: number,
 *   decision: string}} Call
 */

/** Codes of calls that were not made. */
const REFUSED_CODES = new Set(["denied", "approval_unavailable"]);
/** Codes of calls that were interrupted. */
const STOPPED_CODES = new Set(["cancelled"]);

export class Conversation {
  id;
  title = "";
  /** The number of the last stored event. */
  seq = 0;
  /** @type {Item[]} */
  items = [];
  /** Messages that the user sent during a turn; the model receives them with its next request. @type {Item[]} */
  queued = [];
  /** Open approval prompts, the oldest first. @type {Map<string, ApprovalPrompt>} */
  prompts = new Map();
  /** The number of the running turn; 0 if none runs. */
  running = 0;
  /** The model of the last request. */
  model = "";
  /** The usage of all turns. @type {Usage} */
  usage = noUsage();
  /** The usage of the last turn. @type {Usage} */
  turnUsage = noUsage();
  #iteration = 0;
  /** The number and the time of the last turn that has ended. */
  #ended = { turn: 0, at: 0 };
  #keys = 0;
  /** @type {Map<string, Item & Call>} */
  #calls = new Map();
  /** The partial answer. @type {(Item & {kind: "assistant"}) | null} */
  #live = null;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
  }

  /**
   * Applies an event. `"known"`: the event was applied before; `"gap"`: an earlier event is missing, so the page must
   * open the conversation again.
   *
   * @param {Event} event
   * @returns {"applied" | "known" | "gap"}
   */
  apply(event) {
    if (event.type === "text" || event.type === "thought") return this.#applyDelta(event);
    if (event.type === "progress") return this.#progress(event);
    if (event.seq <= this.seq) {
      // An `ended` event that could not be stored has the number of the last stored event. If the turn's request could
      // not be stored either, no turn seems to run, and the next one reuses its number.
      const isNew = event.turn > this.#ended.turn || (event.turn === this.#ended.turn && event.at > this.#ended.at);
      if (event.type !== "ended" || !(this.running === 0 ? isNew : event.turn === this.running)) return "known";
      this.#applyStored(event);
      return "applied";
    }
    if (event.seq > this.seq + 1) return "gap";
    this.seq = event.seq;
    this.#applyStored(event);
    return "applied";
  }

  /** @param {string} id */
  call(id) {
    return this.#calls.get(id);
  }

  /** @param {Event} event */
  #applyStored(event) {
    switch (event.type) {
      case "titled":
        this.title = event.title;
        break;
      case "asked":
        this.#addUserMessage(event);
        break;
      case "iteration":
        this.#beginIteration(event);
        break;
      case "answered":
        this.#addAnswer(event);
        break;
      case "retrying":
        this.#removeLive();
        this.#add(event, { kind: "retry", message: event.message, attempt: event.attempt, wait: event.wait });
        break;
      case "calling":
        this.#beginCall(event);
        break;
      case "question":
        this.#addPrompt(event);
        break;
      case "decision":
        this.#applyDecision(event);
        break;
      case "result":
        this.#setResult(event);
        break;
      case "compacted": {
        const { tokensBefore: before, tokensAfter: after, summary } = event;
        this.#add(event, { kind: "compacted", before, after, summary });
        break;
      }
      case "notice":
        this.#add(event, { kind: "notice", text: event.text });
        break;
      case "ended":
        this.#endTurn(event);
        break;
    }
  }

  /** @param {Event} event @param {any} item @returns {any} */
  #add(event, item) {
    this.#keys += 1;
    const added = { key: this.#keys, turn: event.turn ?? this.running, at: event.at, revision: 0, ...item };
    this.items.push(added);
    return added;
  }

  /** @param {Event} event */
  #addUserMessage(event) {
    const queuedIndex = this.queued.findIndex((item) => item.kind === "user" && item.text === event.text);
    if (queuedIndex !== -1) this.queued.splice(queuedIndex, 1);
    if (this.running !== event.turn) {
      this.running = event.turn;
      this.#iteration = 0;
      this.turnUsage = noUsage();
    }
    if (this.title === "") this.title = event.text.trim().split("\n")[0].slice(0, 80);
    this.#add(event, { kind: "user", text: event.text, queued: false });
  }

  /** Adds a message that the user sends during a turn. @param {string} text */
  queueMessage(text) {
    this.#keys += 1;
    this.queued.push({ key: this.#keys, turn: this.running, at: 0, revision: 0, kind: "user", text, queued: true });
  }

  /** @param {Event} event */
  #beginIteration(event) {
    this.running = event.turn;
    this.#iteration = event.iteration;
    this.model = event.model;
    this.#live = null;
  }

  /** @param {Event} event @returns {"applied" | "known" | "gap"} */
  #applyDelta(event) {
    // A stored answer replaces the partial one.
    if (event.turn !== this.running || event.iteration !== this.#iteration || event.seq < this.seq) return "known";
    if (this.#live === null) {
      if (this.items.some((item) => item.kind === "assistant" && isSameIteration(item, event) && !item.live))
        return "known";
      const { iteration } = event;
      const item = {
        kind: "assistant",
        iteration,
        model: this.model,
        text: "",
        thoughts: "",
        live: true,
        interrupted: false,
      };
      this.#live = this.#add(event, item);
    }
    const live = /** @type {Item & {kind: "assistant"}} */ (this.#live);
    const field = event.type === "text" ? "text" : "thoughts";
    const before = live[field];
    if (event.offset > before.length) return "gap";
    // A repeated delta is ignored; only the part that extends the text counts.
    if (event.offset + event.text.length <= before.length) return "known";
    update(live, { [field]: before.slice(0, event.offset) + event.text });
    return "applied";
  }

  /** @param {Event} event @returns {"applied" | "known"} */
  #progress(event) {
    const call = this.#calls.get(event.call);
    if (call === undefined || call.result !== null) return "known";
    const percent = typeof event.fraction === "number" ? `${Math.round(event.fraction * 100)} %` : "";
    update(call, { progress: [event.message, percent].filter((part) => part !== "").join(" · ") });
    return "applied";
  }

  #removeLive() {
    if (this.#live === null) return;
    this.items.splice(this.items.indexOf(this.#live), 1);
    this.#live = null;
  }

  /** @param {Event} event */
  #addAnswer(event) {
    const { said, iteration, usage, interrupted = false } = event;
    addUsage(this.usage, usage);
    addUsage(this.turnUsage, usage);
    const answer = { text: said.text, thoughts: said.reasoning ?? "", live: false, interrupted };
    if (answer.text === "" && answer.thoughts === "" && !interrupted) this.#removeLive();
    else if (this.#live !== null) update(this.#live, answer);
    else this.#add(event, { kind: "assistant", iteration, model: this.model, ...answer });
    this.#live = null;
    for (const call of said.calls ?? []) this.#addCall(event, call);
  }

  /** @param {Event} event @param {{id: string, tool: string, arguments: any}} call @returns {Item & Call} */
  #addCall(event, { id, tool, arguments: args }) {
    const existing = this.#calls.get(id);
    if (existing !== undefined) return existing;
    const call = this.#add(event, {
      kind: "call",
      id,
      tool,
      summary: tool,
      arguments: args,
      effect: "",
      preview: "",
      delegates: false,
      status: "pending",
      progress: "",
      result: null,
      failure: "",
      duration: 0,
      decision: "",
    });
    this.#calls.set(id, call);
    return call;
  }

  /** @param {Event} event */
  #beginCall(event) {
    const call = this.#addCall(event, { ...event, id: event.call, tool: event.tool, arguments: event.arguments });
    const { tool, summary, effect = "", preview = "", delegates = false } = event;
    update(call, { tool, summary, arguments: event.arguments, effect, preview, delegates, status: "running" });
  }

  /** @param {Event} event */
  #addPrompt(event) {
    const call = this.#calls.get(event.call);
    if (call !== undefined) update(call, { status: "waiting" });
    const summary = call?.summary ?? event.request.tool;
    this.prompts.set(event.question, { id: event.question, call: event.call, request: event.request, summary });
  }

  /** @param {Event} event */
  #applyDecision(event) {
    const prompt = this.prompts.get(event.question);
    if (prompt === undefined) return;
    this.prompts.delete(event.question);
    const call = this.#calls.get(prompt.call);
    if (call === undefined) return;
    const { allow } = event.answer;
    const edited = allow?.arguments ?? null;
    const decision = decisionText(event.answer, prompt.request, event.by);
    update(call, { decision, status: allow === undefined ? "refused" : "running" });
    // Nested calls have arguments of their own.
    if (edited === null || !isAboutCall(prompt.request.tool, call)) return;
    const args = call.delegates ? { ...call.arguments, arguments: edited } : edited;
    // The summary described the model's own arguments.
    update(call, { arguments: args, summary: `${call.summary.split(": ")[0]}, with other arguments`, preview: "" });
  }

  /** @param {Event} event */
  #setResult(event) {
    const call = this.#calls.get(event.call);
    if (call === undefined) return;
    const { text, failure = "", duration } = event;
    this.#dropPrompts(call.id);
    update(call, { result: text, failure, duration, progress: "", status: outcome(call, failure) });
  }

  /** @param {Event} event */
  #endTurn(event) {
    this.running = 0;
    this.#ended = { turn: event.turn, at: event.at };
    // The model has received every queued message by now.
    this.queued = [];
    this.#iteration = 0;
    if (this.#live !== null) update(this.#live, { live: false, interrupted: true });
    this.#live = null;
    for (const call of this.#calls.values()) {
      if (call.turn !== event.turn || call.result !== null || call.status === "stopped") continue;
      this.#dropPrompts(call.id);
      update(call, { status: "stopped", progress: "" });
    }
    const { reason, text, data = null, problem = "", iterations, calls, usage, duration } = event;
    this.turnUsage = usage;
    this.#add(event, { kind: "ended", reason, text, data, problem, iterations, calls, usage, duration });
  }

  /** Closes the prompts of a call that has ended. @param {string} call */
  #dropPrompts(call) {
    for (const prompt of this.prompts.values()) {
      if (prompt.call === call) this.prompts.delete(prompt.id);
    }
  }
}

/**
 * Returns the rows: an item each, or several consecutive read calls.
 *
 * @param {readonly Item[]} items
 * @returns {Item[][]}
 */
export function rows(items) {
  /** @type {Item[][]} */
  const found = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last !== undefined && isRead(item) && isRead(/** @type {Item} */ (last[0]))) last.push(item);
    else found.push([item]);
  }
  return found;
}

/** @param {Item} item */
function isRead(item) {
  return item.kind === "call" && item.effect === "read" && (item.status === "ok" || item.status === "running");
}

/** Whether a prompt about a tool concerns this call itself. @param {string} promptedTool @param {Call} call */
function isAboutCall(promptedTool, call) {
  if (!call.delegates) return promptedTool === call.tool;
  return [promptedTool, promptedTool.replaceAll(".", "_")].includes(call.arguments?.tool);
}

/** @param {Item & {kind: "assistant"}} item @param {Event} event */
function isSameIteration(item, event) {
  return item.turn === event.turn && item.iteration === event.iteration;
}

/** @param {Item} item @param {Record<string, any>} fields */
function update(item, fields) {
  Object.assign(item, fields);
  item.revision += 1;
}

/** @param {Call} call @param {string} failure @returns {Status} */
function outcome(call, failure) {
  if (failure === "") return "ok";
  if (STOPPED_CODES.has(failure)) return "stopped";
  return REFUSED_CODES.has(failure) || call.status === "refused" ? "refused" : "failed";
}

/** @param {any} answer @param {any} request @param {string} surface */
function decisionText(answer, request, surface) {
  const surfaceText = SURFACES[surface] ?? surface;
  if (answer.allow !== undefined) {
    if ((answer.allow.arguments ?? null) !== null) return `Arguments changed ${surfaceText}`;
    const option = request.options[answer.allow.option] ?? request.options[0];
    return `Allowed ${SCOPES[option?.scope] ?? "once"}, ${surfaceText}`;
  }
  if (answer.deny !== undefined) {
    const text = answer.deny.text ?? "";
    return text === "" ? `Denied, ${surfaceText}` : `Denied, ${surfaceText}: ${text}`;
  }
  return `Not allowed: ${answer.unanswered?.how ?? answer.notAsked?.why ?? "no approver was available"}`;
}

/** The durations of approvals. @type {Record<string, string>} */
export const SCOPES = { once: "once", session: "for this session", workspace: "in this workspace", always: "always" };
/** @type {Record<string, string>} */
const SURFACES = {
  web: "on this page",
  editor: "in the editor",
  terminal: "in the terminal",
  "--auto-approve": "by --auto-approve",
};

/** @returns {Usage} */
function noUsage() {
  return { input: 0, output: 0, cached: 0 };
}

/** @param {Usage} sum @param {Partial<Usage> | undefined} more */
function addUsage(sum, more) {
  sum.input += more?.input ?? 0;
  sum.output += more?.output ?? 0;
  sum.cached += more?.cached ?? 0;
}
