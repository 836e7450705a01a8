import { expect, test } from "vitest";
import { Conversation, type Event, rows } from "../../../../crates/zubi-web/page/state.js";

const USAGE = { input: 10, output: 5, cached: 0 };

/** Numbers the events that are stored; the others get the number of the last stored one. */
function numbered(...events: readonly Record<string, unknown>[]): Event[] {
  let seq = 0;
  return events.map((event) => {
    const type = String(event["type"]);
    if (!["text", "thought", "progress"].includes(type)) seq += 1;
    return { at: 0, seq, ...event, type };
  });
}

function of(events: readonly Event[]): Conversation {
  const conversation = new Conversation("c");
  for (const event of events) conversation.apply(event);
  return conversation;
}

/** Renders one line for each item of the conversation. */
function shown(conversation: Conversation): string[] {
  return conversation.items.map((item) => {
    switch (item.kind) {
      case "user":
        return `you: ${item.text}${item.queued ? " (queued)" : ""}`;
      case "assistant":
        return `zubi: ${item.text}${item.live ? "▍" : ""}${item.interrupted ? " (interrupted)" : ""}`;
      case "call":
        return `${item.status}: ${[item.summary, item.progress, item.decision, item.result].filter((part) => part).join(" · ")}`;
      case "ended":
        return `ended: ${item.reason}`;
      default:
        return item.kind;
    }
  });
}

const MESSAGE = { type: "asked", turn: 1, text: "Add cake" };
const ITERATION = { type: "iteration", turn: 1, iteration: 1, model: "m" };
const delta = (offset: number, text: string): Record<string, unknown> => ({ type: "text", turn: 1, iteration: 1, offset, text });
const answered = (text: string, ...calls: readonly string[]): Record<string, unknown> => ({
  type: "answered", turn: 1, iteration: 1, usage: USAGE, stop: "finished",
  said: { text, calls: calls.map((id) => ({ id, tool: "file_read", arguments: {} })) },
});
const calling = (call: string, effect = "read"): Record<string, unknown> =>
  ({ type: "calling", turn: 1, call, tool: "file.read", summary: `Read a file: ${call}`, arguments: { path: call }, effect });
const result = (call: string, more: object = {}): Record<string, unknown> =>
  ({ type: "result", turn: 1, call, text: "tea", duration: 3, ...more });
const ended = (reason: string): Record<string, unknown> =>
  ({ type: "ended", turn: 1, reason, text: "", iterations: 1, calls: 0, usage: USAGE, duration: 1 });
const question = (request: object = { tool: "shell.run", options: [{ scope: "once" }, { scope: "session" }] }): Record<string, unknown> =>
  ({ type: "question", turn: 1, call: "a", question: "q1", request });

test("the stored answer replaces the streamed text", () => {
  const events = numbered(MESSAGE, ITERATION, delta(0, "I "), delta(2, "look"), answered("I look.", "a"));
  expect(shown(of(events.slice(0, 4)))).toEqual(["you: Add cake", "zubi: I look▍"]);
  expect(shown(of(events))).toEqual(["you: Add cake", "zubi: I look.", "pending: file_read"]);
});

test("repeated or overlapping deltas appear once", () => {
  const conversation = of(numbered(MESSAGE, ITERATION, delta(0, "I lo"), delta(2, "look"), delta(0, "I lo")));
  expect(shown(conversation).at(-1)).toBe("zubi: I look▍");
});

test("apply reports a gap if an event is missing", () => {
  const [message, iteration, late] = numbered(MESSAGE, ITERATION, delta(5, "late"));
  const conversation = new Conversation("c");
  expect(conversation.apply(message as Event)).toBe("applied");
  expect(conversation.apply({ ...(iteration as Event), seq: 3 })).toBe("gap");
  expect(conversation.apply(iteration as Event)).toBe("applied");
  expect(conversation.apply(iteration as Event)).toBe("known");
  expect(conversation.apply(late as Event)).toBe("gap");
});

test("an end that was not stored ends its turn once", () => {
  const conversation = of(numbered(MESSAGE, ITERATION, calling("a")));
  const unstored = { seq: 3, at: 0, ...ended("failed"), type: "ended" };
  expect(conversation.apply({ ...unstored, turn: 2 })).toBe("known");
  expect(conversation.apply(unstored)).toBe("applied");
  expect([conversation.running, conversation.seq]).toEqual([0, 3]);
  expect(conversation.apply(unstored)).toBe("known");
  expect(shown(conversation)).toEqual(["you: Add cake", "stopped: Read a file: a", "ended: failed"]);
});

test("the page shows each end of a turn whose request was not stored", () => {
  const conversation = of(numbered(MESSAGE, ITERATION, answered("Done."), ended("completed")));
  const lastSeq = conversation.seq;
  const unstored = { ...ended("failed"), type: "ended", seq: lastSeq, turn: 2 };
  expect(conversation.apply({ ...unstored, at: 7 })).toBe("applied");
  expect(conversation.apply({ ...unstored, at: 7 })).toBe("known");
  // The next turn reuses its number.
  expect(conversation.apply({ ...unstored, at: 8 })).toBe("applied");
  expect(shown(conversation)).toEqual(["you: Add cake", "zubi: Done.", "ended: completed", "ended: failed", "ended: failed"]);
});

test("the conversation ignores a delta that arrives after its answer", () => {
  const conversation = of(numbered(MESSAGE, ITERATION, answered("Done.")));
  expect(conversation.apply({ seq: 2, at: 0, type: "text", turn: 1, iteration: 1, offset: 0, text: "Do" })).toBe("known");
  expect(conversation.apply({ seq: 3, at: 0, type: "text", turn: 1, iteration: 1, offset: 0, text: "Do" })).toBe("known");
  expect(shown(conversation)).toEqual(["you: Add cake", "zubi: Done."]);
});

test("a retry discards the text of the previous attempt", () => {
  const retry = { type: "retrying", turn: 1, iteration: 1, kind: "overloaded", message: "busy", attempt: 1, wait: 10 };
  const conversation = of(numbered(MESSAGE, ITERATION, delta(0, "Half an ans"), retry, delta(0, "Whole")));
  expect(shown(conversation)).toEqual(["you: Add cake", "retry", "zubi: Whole▍"]);
});

test("a call shows its own progress and result", () => {
  const progress = { type: "progress", call: "a", fraction: 0.5, message: "half" };
  const events = numbered(MESSAGE, ITERATION, answered("", "a", "b"), calling("a"), calling("b"), progress, result("b"),
    result("a", { failure: "failed" }));
  expect(shown(of(events.slice(0, 6))).slice(1)).toEqual(["running: Read a file: a · half · 50 %", "running: Read a file: b"]);
  expect(shown(of(events)).slice(1)).toEqual(["failed: Read a file: a · tea", "ok: Read a file: b · tea"]);
});

test("an approval prompt waits until a surface answers it", () => {
  const decision = (answer: object): Record<string, unknown> => ({ type: "decision", question: "q1", answer, by: "editor" });
  const options = [{ scope: "once" }, { scope: "session" }];
  const events = [MESSAGE, ITERATION, answered("", "a"), calling("a", "execute"), question({ tool: "file.read", options })];
  const waiting = of(numbered(...events));
  expect([...waiting.prompts.keys()]).toEqual(["q1"]);
  expect(shown(waiting).at(-1)).toBe("waiting: Read a file: a");
  const last = (answer: object): unknown => {
    const conversation = of(numbered(...events, decision(answer)));
    expect(conversation.prompts.size).toBe(0);
    return shown(conversation).at(-1);
  };
  expect(last({ allow: { option: 1, arguments: null } })).toBe("running: Read a file: a · Allowed for this session, in the editor");
  expect(last({ allow: { option: 0, arguments: {} } })).toBe("running: Read a file, with other arguments · Arguments changed in the editor");
  expect(last({ deny: { text: "no" } })).toBe("refused: Read a file: a · Denied, in the editor: no");
  expect(last({ unanswered: { how: "timed out" } })).toBe("refused: Read a file: a · Not allowed: timed out");
});

test("edited arguments of a nested call do not change those of the call, unless its tool delegates", () => {
  const edited = (tool: string, args: object, promptedTool: string): unknown => {
    const decision = { type: "decision", question: "q1", answer: { allow: { option: 0, arguments: { command: "x" } } }, by: "web" };
    const call = { ...calling("a", "execute"), tool, arguments: args, delegates: tool === "call_tool" };
    const prompt = question({ tool: promptedTool, options: [{ scope: "once" }] });
    const { items } = of(numbered(MESSAGE, ITERATION, answered("", "a"), call, prompt, decision));
    return items.flatMap((item) => (item.kind === "call" ? [item.arguments as unknown] : []))[0];
  };
  expect(edited("shell.run", { command: "a" }, "shell.run")).toEqual({ command: "x" });
  expect(edited("flow.release", { version: 1 }, "shell.run")).toEqual({ version: 1 });
  expect(edited("call_tool", { tool: "shell_run", arguments: { command: "a" } }, "shell.run"))
    .toEqual({ tool: "shell_run", arguments: { command: "x" } });
  expect(edited("call_tool", { tool: "flow.release" }, "shell.run")).toEqual({ tool: "flow.release" });
});

test("the end of a turn closes its approval prompts and stops its calls", () => {
  const conversation = of(numbered(MESSAGE, ITERATION, answered("", "a"), calling("a"), question(), ended("killed")));
  expect(conversation.prompts.size).toBe(0);
  expect(conversation.running).toBe(0);
  expect(shown(conversation).slice(1)).toEqual(["stopped: Read a file: a", "ended: killed"]);
});

test("a message during a turn is queued until the model receives it", () => {
  const conversation = of(numbered(MESSAGE, ITERATION));
  conversation.queueMessage("And tea");
  conversation.queueMessage("And milk");
  conversation.apply({ ...MESSAGE, text: "And tea", seq: 3, at: 0 });
  expect(shown(conversation).at(-1)).toBe("you: And tea");
  expect(conversation.queued.map((item) => item.kind === "user" && item.text)).toEqual(["And milk"]);
});

test("consecutive read-only calls share a row, other calls do not", () => {
  const events = numbered(MESSAGE, ITERATION, answered("", "a", "b", "c", "d"), calling("a"), calling("b"), calling("c", "write"),
    calling("d"), result("a"), result("b"), result("c"), result("d"));
  expect(rows(of(events).items).map((row) => row.length)).toEqual([1, 2, 1, 1]);
});

test("the page adds up the tokens of each turn and of the conversation", () => {
  const second = numbered(MESSAGE, ITERATION, answered("x"), ended("completed"), { ...MESSAGE, turn: 2 },
    { ...ITERATION, turn: 2 }, { ...answered("y"), turn: 2 });
  const conversation = of(second);
  expect([conversation.usage.input, conversation.turnUsage.input]).toEqual([20, 10]);
});

test("the page reads ten thousand events within two seconds", () => {
  const many = Array.from({ length: 2000 }, (_, index) => [
    { ...ITERATION, iteration: index + 1 }, { ...answered("", `a${index}`), iteration: index + 1 }, calling(`a${index}`),
    result(`a${index}`), { type: "notice", turn: 1, text: "n" }]).flat();
  const events = numbered(MESSAGE, ...many);
  const startTime = performance.now();
  const conversation = of(events);
  expect(rows(conversation.items)).toHaveLength(4001);
  // An idle machine needs a tenth of this time.
  expect(performance.now() - startTime).toBeLessThan(2000);
});
