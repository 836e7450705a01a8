import { expect, test } from "vitest";
import type * as vscode from "vscode";
import { whenAwake } from "../../src/readiness.ts";

const never = { isCancellationRequested: false } as vscode.CancellationToken;

/** A document in a language of this name, as the stub has it. */
const document = (language: string): vscode.Uri => language as unknown as vscode.Uri;

/** Answers these one after the other, and then nothing more. */
function answering(...answers: string[][]): { asked: number; ask: () => Promise<string[]> } {
  const state = {
    asked: 0,
    ask: () => {
      state.asked += 1;
      return Promise.resolve(answers[state.asked - 1] ?? []);
    },
  };
  return state;
}

test("a language that has never answered is asked again", async () => {
  const waking = answering([], [], ["found"]);
  expect(await whenAwake(document("slow"), never, waking.ask)).toEqual(["found"]);
  expect(waking.asked).toBe(3);
});

test("an empty answer of a language that has answered before is one", async () => {
  await whenAwake(document("quick"), never, answering(["found"]).ask);
  const empty = answering([], ["too late"]);
  expect(await whenAwake(document("quick"), never, empty.ask)).toEqual([]);
  expect(empty.asked).toBe(1);
});

test("nobody is asked again for a caller that has given up", async () => {
  const waking = answering([], ["too late"]);
  const cancelled = { isCancellationRequested: true } as vscode.CancellationToken;
  expect(await whenAwake(document("other"), cancelled, waking.ask)).toEqual([]);
  expect(waking.asked).toBe(1);
});
