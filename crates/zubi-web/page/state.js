// @ts-check
// The state of a conversation, computed from its events in order. Independent of the page: the same events always give
// the same
// state, one by one or all at once.

/**
 * @typedef {{seq: number, at: number, type: string, [field: string]: any}} Event As `zubi_agent::event::Event`.
 * @typedef {{input: number, output: number, cached: number}} Usage
 * @typedef {"pending" | "running" | "waiting" | "ok" | "failed" | "refused" | "stopped"} Status
 * @typedef {{id: string, call: string, request: any, summary: string}} Question
 */

/**
 * Something in the conversation. `revision` grows whenever it looks different.
 *
 * @typedef {{key: number, turn: number, at: number, revision: number} & (
 *     {kind: "asked", text: string, queued: boolean}
 *   | {kind: "said", iteration: number, model: string, text: string, thoughts: string, live: boolean, interrupted: boolean}
 *   | Call
 *   | {kind: "retry", message: string, attempt: number, wait: number}
 *   | {kind: "notice", text: string}
 *   | {kind: "compacted", before: number, after: number, summary: string}
 *   | {kind: "ended", reason: string, text: string, data: any, problem: string, iterations: number, calls: number,
 *      usage: Usage, duration: number}
 * )} Item
 */

/**
 * A call that the model wants made.
 *
 * @typedef {{kind: "call", id: string, tool: string, summary: string, arguments: any, effect: string, preview: string,
 *   status: Status, progress: string, result: string | null, failure: string, duration: number, decision: string}} Call
 */

/** Failures which say that the call was not made. */
const REFUSALS = new Set(["denied", "approval_unavailable"]);
const STOPS = new Set(["cancelled"]);
/** Tools that only make another call; prompts concern that call. */
const PASSING_ON = new Set(["call_read_tool", "call_tool"]);

export class Conversation {
  id;
  title = "";
  /** The number of the last stored event. */
  seq = 0;
  /** @type {Item[]} */
  items = [];
  /** Messages that were sent here during a turn and that the model receives with its next request. @type {Item[]} */
  queued = [];
  /** Questions that wait for an answer, the oldest first. @type {Map<string, Question>} */
  questions = new Map();
  /** The number of the running turn; 0 if none runs. */
  running = 0;
  /** The model of the last request. */
  model = "";
  /** The usage of all turns. @type {Usage} */
  usage = nothing();
  /** The usage of the last turn. @type {Usage} */
  turnUsage = nothing();
  #iteration = 0;
  /** The last end, and when it was. */
  #ended = { turn: 0, at: 0 };
  #keys = 0;
  /** @type {Map<string, Item & Call>} */
  #calls = new Map();
  /** The partial answer. @type {(Item & {kind: "said"}) | null} */
  #live = null;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
  }

  /**
   * Applies an event. `"known"`: it was applied before; `"gap"`: an event before it is missing, so the conversation must be opened again.
   *
   * @param {Event} event
   * @returns {"taken" | "known" | "gap"}
   */
  apply(event) {
    if (event.type === "text" || event.type === "thought") return this.#pass(event);
    if (event.type === "progress") return this.#progress(event);
    if (event.seq <= this.seq) {
      // An end that could not be stored has the number of the last stored event. If not even the request could be
      // stored, no
      // turn seems to run, and the next one has its number again.
      const isNew = event.turn > this.#ended.turn || (event.turn === this.#ended.turn && event.at > this.#ended.at);
      if (event.type !== "ended" || !(this.running === 0 ? isNew : event.turn === this.running)) return "known";
      this.#keep(event);
      return "taken";
    }
    if (event.seq > this.seq + 1) return "gap";
    this.seq = event.seq;
    this.#keep(event);
    return "taken";
  }

  /** @param {string} id */
  call(id) {
    return this.#calls.get(id);
  }

  /** @param {Event} event */
  #keep(event) {
    switch (event.type) {
      case "titled":
        this.title = event.title;
        break;
      case "asked":
        this.#ask(event);
        break;
      case "iteration":
        this.#begin(event);
        break;
      case "answered":
        this.#answer(event);
        break;
      case "retrying":
        this.#forgetLive();
        this.#add(event, { kind: "retry", message: event.message, attempt: event.attempt, wait: event.wait });
        break;
      case "calling":
        this.#calling(event);
        break;
      case "question":
        this.#question(event);
        break;
      case "decision":
        this.#decide(event);
        break;
      case "result":
        this.#result(event);
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
        this.#end(event);
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
  #ask(event) {
    const heard = this.queued.findIndex((item) => item.kind === "asked" && item.text === event.text);
    if (heard !== -1) this.queued.splice(heard, 1);
    if (this.running !== event.turn) {
      this.running = event.turn;
      this.#iteration = 0;
      this.turnUsage = nothing();
    }
    if (this.title === "") this.title = event.text.trim().split("\n")[0].slice(0, 80);
    this.#add(event, { kind: "asked", text: event.text, queued: false });
  }

  /** Adds a message that the user sends during a turn. @param {string} text */
  say(text) {
    this.#keys += 1;
    this.queued.push({ key: this.#keys, turn: this.running, at: 0, revision: 0, kind: "asked", text, queued: true });
  }

  /** @param {Event} event */
  #begin(event) {
    this.running = event.turn;
    this.#iteration = event.iteration;
    this.model = event.model;
    this.#live = null;
  }

  /** @param {Event} event @returns {"taken" | "known" | "gap"} */
  #pass(event) {
    // A stored answer replaces the partial one.
    if (event.turn !== this.running || event.iteration !== this.#iteration || event.seq < this.seq) return "known";
    if (this.#live === null) {
      if (this.items.some((item) => item.kind === "said" && isOf(item, event) && !item.live)) return "known";
      const { iteration } = event;
      const said = {
        kind: "said",
        iteration,
        model: this.model,
        text: "",
        thoughts: "",
        live: true,
        interrupted: false,
      };
      this.#live = this.#add(event, said);
    }
    const live = /** @type {Item & {kind: "said"}} */ (this.#live);
    const field = event.type === "text" ? "text" : "thoughts";
    const before = live[field];
    if (event.offset > before.length) return "gap";
    // A repeated delta is ignored; the part that extends the text counts.
    if (event.offset + event.text.length <= before.length) return "known";
    change(live, { [field]: before.slice(0, event.offset) + event.text });
    return "taken";
  }

  /** @param {Event} event @returns {"taken" | "known"} */
  #progress(event) {
    const call = this.#calls.get(event.call);
    if (call === undefined || call.result !== null) return "known";
    const percent = typeof event.fraction === "number" ? `${Math.round(event.fraction * 100)} %` : "";
    change(call, { progress: [event.message, percent].filter((part) => part !== "").join(" · ") });
    return "taken";
  }

  #forgetLive() {
    if (this.#live === null) return;
    this.items.splice(this.items.indexOf(this.#live), 1);
    this.#live = null;
  }

  /** @param {Event} event */
  #answer(event) {
    const { said, iteration, usage, interrupted = false } = event;
    add(this.usage, usage);
    add(this.turnUsage, usage);
    const whole = { text: said.text, thoughts: said.reasoning ?? "", live: false, interrupted };
    if (whole.text === "" && whole.thoughts === "" && !interrupted) this.#forgetLive();
    else if (this.#live !== null) change(this.#live, whole);
    else this.#add(event, { kind: "said", iteration, model: this.model, ...whole });
    this.#live = null;
    for (const call of said.calls ?? []) this.#expect(event, call);
  }

  /** @param {Event} event @param {{id: string, tool: string, arguments: any}} call @returns {Item & Call} */
  #expect(event, { id, tool, arguments: given }) {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call = this.#add(event, {
      kind: "call",
      id,
      tool,
      summary: tool,
      arguments: given,
      effect: "",
      preview: "",
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
  #calling(event) {
    const call = this.#expect(event, { ...event, id: event.call, tool: event.tool, arguments: event.arguments });
    const { tool, summary, effect = "", preview = "" } = event;
    change(call, { tool, summary, arguments: event.arguments, effect, preview, status: "running" });
  }

  /** @param {Event} event */
  #question(event) {
    const call = this.#calls.get(event.call);
    if (call !== undefined) change(call, { status: "waiting" });
    const summary = call?.summary ?? event.request.tool;
    this.questions.set(event.question, { id: event.question, call: event.call, request: event.request, summary });
  }

  /** @param {Event} event */
  #decide(event) {
    const question = this.questions.get(event.question);
    if (question === undefined) return;
    this.questions.delete(event.question);
    const call = this.#calls.get(question.call);
    if (call === undefined) return;
    const { allow } = event.answer;
    const edited = allow?.arguments ?? null;
    const decision = decisionText(event.answer, question.request, event.by);
    change(call, { decision, status: allow === undefined ? "refused" : "running" });
    // Calls that it makes in its course have arguments of their own.
    if (edited === null || !isAbout(question.request.tool, call)) return;
    const given = PASSING_ON.has(call.tool) ? { ...call.arguments, arguments: edited } : edited;
    // The summary described the arguments that the model gave.
    change(call, { arguments: given, summary: `${call.summary.split(": ")[0]}, with other arguments`, preview: "" });
  }

  /** @param {Event} event */
  #result(event) {
    const call = this.#calls.get(event.call);
    if (call === undefined) return;
    const { text, failure = "", duration } = event;
    this.#dropQuestions(call.id);
    change(call, { result: text, failure, duration, progress: "", status: outcome(call, failure) });
  }

  /** @param {Event} event */
  #end(event) {
    this.running = 0;
    this.#ended = { turn: event.turn, at: event.at };
    // The model has received every queued message by now.
    this.queued = [];
    this.#iteration = 0;
    if (this.#live !== null) change(this.#live, { live: false, interrupted: true });
    this.#live = null;
    for (const call of this.#calls.values()) {
      if (call.turn !== event.turn || call.result !== null || call.status === "stopped") continue;
      this.#dropQuestions(call.id);
      change(call, { status: "stopped", progress: "" });
    }
    const { reason, text, data = null, problem = "", iterations, calls, usage, duration } = event;
    this.turnUsage = usage;
    this.#add(event, { kind: "ended", reason, text, data, problem, iterations, calls, usage, duration });
  }

  /** Closes the prompts of a call that has ended. @param {string} call */
  #dropQuestions(call) {
    for (const question of this.questions.values()) {
      if (question.call === call) this.questions.delete(question.id);
    }
  }
}

/**
 * One row: an item, or several consecutive read calls.
 *
 * @param {readonly Item[]} items
 * @returns {Item[][]}
 */
export function rows(items) {
  /** @type {Item[][]} */
  const found = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last !== undefined && onlyLooks(item) && onlyLooks(/** @type {Item} */ (last[0]))) last.push(item);
    else found.push([item]);
  }
  return found;
}

/** @param {Item} item */
function onlyLooks(item) {
  return item.kind === "call" && item.effect === "read" && (item.status === "ok" || item.status === "running");
}

/** Whether a prompt about a tool concerns this call itself. @param {string} asked @param {Call} call */
function isAbout(asked, call) {
  if (!PASSING_ON.has(call.tool)) return asked === call.tool;
  return [asked, asked.replaceAll(".", "_")].includes(call.arguments?.tool);
}

/** @param {Item & {kind: "said"}} item @param {Event} event */
function isOf(item, event) {
  return item.turn === event.turn && item.iteration === event.iteration;
}

/** @param {Item} item @param {Record<string, any>} fields */
function change(item, fields) {
  Object.assign(item, fields);
  item.revision += 1;
}

/** @param {Call} call @param {string} failure @returns {Status} */
function outcome(call, failure) {
  if (failure === "") return "ok";
  if (STOPS.has(failure)) return "stopped";
  return REFUSALS.has(failure) || call.status === "refused" ? "refused" : "failed";
}

/** @param {any} answer @param {any} request @param {string} by */
function decisionText(answer, request, by) {
  const through = DOORS[by] ?? by;
  if (answer.allow !== undefined) {
    if ((answer.allow.arguments ?? null) !== null) return `Arguments changed ${through}`;
    const option = request.options[answer.allow.option] ?? request.options[0];
    return `Allowed ${SCOPES[option?.scope] ?? "once"}, ${through}`;
  }
  if (answer.deny !== undefined) {
    const text = answer.deny.text ?? "";
    return text === "" ? `Denied, ${through}` : `Denied, ${through}: ${text}`;
  }
  return `Not allowed: ${answer.unanswered?.how ?? answer.notAsked?.why ?? "no approver was available"}`;
}

/** How long an approval lasts. @type {Record<string, string>} */
export const SCOPES = { once: "once", session: "for this session", workspace: "in this workspace", always: "always" };
/** @type {Record<string, string>} */
const DOORS = {
  web: "on this page",
  editor: "in the editor",
  terminal: "in the terminal",
  "--auto-approve": "by --auto-approve",
};

/** @returns {Usage} */
function nothing() {
  return { input: 0, output: 0, cached: 0 };
}

/** @param {Usage} sum @param {Partial<Usage> | undefined} more */
function add(sum, more) {
  sum.input += more?.input ?? 0;
  sum.output += more?.output ?? 0;
  sum.cached += more?.cached ?? 0;
}
