import { expect, test } from "vitest";
import { follow, type Listener } from "../../src/state.ts";
import { Disposable, happens, window, workspace } from "./vscode.ts";

/** A client that remembers what it sends, and how its state changes. */
function client(): { sent: unknown[]; running: boolean; started: () => void; listener: Listener } {
  const sent: unknown[] = [];
  let changed = (): void => undefined;
  const state = {
    sent,
    running: true,
    started: () => { changed(); },
    listener: {
      isRunning: () => state.running,
      onDidChangeState: (listener: () => void) => {
        changed = listener;
        return new Disposable(() => undefined);
      },
      sendNotification: (method: string, params: unknown) => {
        sent.push([method, params]);
        return Promise.resolve();
      },
    } as unknown as Listener,
  };
  return state;
}

test("every change of what is shown is told, until it is no longer wanted", () => {
  const { sent, listener } = client();
  const following = follow(listener);
  workspace.textDocuments = [{ uri: "file:///a.ts", isClosed: false }, { uri: "file:///old.ts", isClosed: true }];
  happens.opened.fire({});
  window.activeTextEditor = { document: { uri: "file:///a.ts" } };
  happens.activeEditor.fire({});
  happens.diagnostics.fire({ uris: ["file:///a.ts", "file:///b.ts"] });
  expect(sent).toEqual([
    ["zubi/editor/didChange", { active: null, open: ["file:///a.ts"], diagnosticsUris: [] }],
    ["zubi/editor/didChange", { active: "file:///a.ts", open: ["file:///a.ts"], diagnosticsUris: [] }],
    [
      "zubi/editor/didChange",
      { active: "file:///a.ts", open: ["file:///a.ts"], diagnosticsUris: ["file:///a.ts", "file:///b.ts"] },
    ],
  ]);
  following.dispose();
  happens.closed.fire({});
  expect(sent.length).toBe(3);
});

test("a server that does not run is told nothing, and everything when it runs", () => {
  const state = client();
  state.running = false;
  const following = follow(state.listener);
  happens.closed.fire({});
  state.started();
  expect(state.sent).toEqual([]);
  state.running = true;
  state.started();
  expect(state.sent).toMatchObject([["zubi/editor/didChange", { diagnosticsUris: ["file:///wrong.ts"] }]]);
  following.dispose();
});
