import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { waitForProject, activateLanguage } from "../../src/readiness.ts";
import { commandResults, document, documents, Position } from "./vscode.ts";

const never = { isCancellationRequested: false } as vscode.CancellationToken;

/** A document in this language, as the stub represents it. */
const inLanguage = (language: string): vscode.Uri => language as unknown as vscode.Uri;

/** Answers requests with these outlines in order, then with empty ones. Counts the requests. */
function outlines(...answers: (unknown[] | undefined)[]): { requests: number } {
  const state = { requests: 0 };
  commandResults.set("vscode.executeDocumentSymbolProvider", () => answers[(state.requests += 1) - 1]);
  return state;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => { vi.useRealTimers(); };
});

test("activateLanguage repeats its request until the language answers, and then sends no more", async () => {
  const state = outlines(undefined, [], [{}]);
  const awake = activateLanguage(inLanguage("slow"), never);
  await vi.advanceTimersByTimeAsync(200);
  expect(await awake).toBe(true);
  expect(state.requests).toBe(3);
  expect(await activateLanguage(inLanguage("slow"), never)).toBe(true);
  expect(state.requests).toBe(3);
});

test("activateLanguage waits only once for a language without providers, and detects a later provider", async () => {
  outlines();
  const awake = activateLanguage(inLanguage("unknown"), never);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(await awake).toBe(false);
  expect(await activateLanguage(inLanguage("unknown"), never)).toBe(false);
  outlines([{}]);
  expect(await activateLanguage(inLanguage("unknown"), never)).toBe(true);
});

test("activateLanguage does not repeat its request after a cancellation", async () => {
  const state = outlines();
  const cancelled = { isCancellationRequested: true } as vscode.CancellationToken;
  expect(await activateLanguage(inLanguage("other"), cancelled)).toBe(false);
  expect(state.requests).toBe(1);
});

test("waitForProject sends a request that only the project's server answers", async () => {
  const waited: unknown[] = [];
  commandResults.set("vscode.executeTypeDefinitionProvider", (uri) => {
    waited.push(String(uri));
    return Promise.reject(new Error("cannot"));
  });
  const position = new Position(0, 0) as unknown as vscode.Position;
  await waitForProject(inLanguage("file:///a.ts"), position);
  documents.length = 0;
  documents.push(document("/b.ts"), document("/log", "output"));
  await waitForProject(undefined, position);
  expect(waited).toEqual(["file:///a.ts", "file:///b.ts"]);
});
