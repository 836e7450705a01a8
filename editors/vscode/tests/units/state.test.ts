import { beforeEach, expect, test, vi } from "vitest";
import { OpenState } from "../../src/state.ts";
import { document, documents, events, Position, window } from "./vscode.ts";

/** A state that appends its notifications to a list. */
function recorded(): { notifications: unknown[]; state: OpenState; disconnected: boolean } {
  const listener = {
    notifications: [] as unknown[],
    disconnected: false,
    state: new OpenState((_method, params) => {
      if (listener.disconnected) return Promise.reject(new Error("not connected"));
      listener.notifications.push(params);
      return Promise.resolve();
    }),
  };
  return listener;
}

beforeEach(() => {
  vi.useFakeTimers();
  documents.length = 0;
  window.activeTextEditor = undefined;
  return () => { vi.useRealTimers(); };
});

const toy = { uri: "file:///a.toy", languageId: "toy", isDirty: false, lineCount: 3, version: 1 };

test("one notification contains all changes within 50 ms", async () => {
  const { notifications, state } = recorded();
  const open = document("/a.toy");
  documents.push(open, document("/settings", "output"));
  window.activeTextEditor = { document: open, selection: { active: new Position(1, 4) } };
  events.opened.fire(open);
  events.active.fire(undefined);
  open.lineCount = 4;
  events.diagnosed.fire({ uris: [open.uri] });
  await vi.advanceTimersByTimeAsync(49);
  expect(notifications).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  const file = { ...toy, lineCount: 4 };
  const active = { ...file, selection: { line: 2, column: 5 } };
  expect(notifications).toEqual([{ active, open: [file], diagnosticsUris: ["file:///a.toy"] }]);
  state.dispose();
});

test("unchanged state causes no notification, and flush sends changes at once", async () => {
  const { notifications, state } = recorded();
  const open = document("/a.toy");
  documents.push(open);
  await state.flush();
  events.selection.fire(undefined);
  await vi.advanceTimersByTimeAsync(1000);
  expect(notifications).toHaveLength(1);
  open.lineCount = 4;
  await state.flush();
  expect(notifications.at(-1)).toEqual({ active: null, open: [{ ...toy, lineCount: 4 }], diagnosticsUris: [] });
  state.dispose();
  events.saved.fire(open);
  await vi.advanceTimersByTimeAsync(1000);
  expect(notifications).toHaveLength(2);
});

test("the state is sent again after a failed notification and after a restart", async () => {
  const listener = recorded();
  listener.disconnected = true;
  await listener.state.flush();
  listener.disconnected = false;
  await listener.state.flush();
  await listener.state.restart();
  expect(listener.notifications).toHaveLength(2);
  listener.state.dispose();
});

test("unsaved text is sent once for each version, and at once if the document becomes dirty or clean", async () => {
  const { notifications, state } = recorded();
  const open = document("/a.toy");
  documents.push(open);
  const change = (text: string, isDirty: boolean): void => {
    Object.assign(open, { text, isDirty, version: open.version + 1 });
    events.changed.fire({ document: open, contentChanges: [{}] });
  };
  const texts = (): unknown => notifications.splice(0).map((params) => (params as { open: { text?: string; isDirty: boolean }[] }).open.map(({ isDirty, text }) => [isDirty, text]));
  change("typed", true);
  expect(texts()).toEqual([[[true, "typed"]]]);
  change("typed on", true);
  expect(texts()).toEqual([]);
  await vi.advanceTimersByTimeAsync(50);
  expect(texts()).toEqual([[[true, "typed on"]]]);
  events.diagnosed.fire({ uris: [open.uri] });
  await vi.advanceTimersByTimeAsync(50);
  expect(texts()).toEqual([[[true, undefined]]]);
  // Another listener has no texts yet; a text that is too large is reported as unsaved, without content.
  await state.restart();
  expect(texts()).toEqual([[[true, "typed on"]]]);
  change("x".repeat(2 * 1024 * 1024 + 1), true);
  await state.flush();
  expect(texts()).toEqual([[[true, undefined]]]);
  open.isDirty = false;
  events.saved.fire(open);
  expect(texts()).toEqual([[[false, undefined]]]);
  state.dispose();
});
