import { createHash } from "node:crypto";
import { beforeEach, expect, test, vi } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import { handleEdits } from "../../src/edits.ts";
import type { EditorApplyParams, EditorApplyResult } from "../../src/protocol.ts";
import type { OpenState } from "../../src/state.ts";
import { commandResults, type Document, document, documents, edits, events, settings, window } from "./vscode.ts";

/** The events, in order. */
const order: string[] = [];

type Answer = (params: EditorApplyParams, token: { isCancellationRequested: boolean }) => Promise<EditorApplyResult>;

const answer = ((): Answer => {
  let handler: Answer | undefined;
  const client = {
    onRequest: (_method: string, onRequest: Answer) => { handler = onRequest; },
    protocol2CodeConverter: {
      asUri: (uri: string) => ({ toString: () => uri }),
      asWorkspaceEdit: (edit: unknown) => Promise.resolve(edit),
    },
  };
  handleEdits(client as unknown as LanguageClient, { flush: () => { order.push("flush"); return Promise.resolve(); } } as OpenState);
  if (handler === undefined) throw new Error("no handler is registered");
  return handler;
})();

/** Requests an edit whose application runs this function. */
function apply(does: () => void, params: Partial<EditorApplyParams> = {}, isCancellationRequested = false): Promise<EditorApplyResult> {
  edits.apply = () => {
    order.push("edit");
    does();
    return Promise.resolve(true);
  };
  const nothing = { edit: {}, texts: {}, save: "unopened", settings: [], isFollowed: false } as const;
  return answer({ ...nothing, ...params }, { isCancellationRequested });
}

/** Opens a document with this text, which is also on disk. */
function open(path: string, text: string, { isShown = true, isDirty = false } = {}): Document {
  const opened = { ...document(path), text, isDirty };
  documents.push(opened);
  if (isShown) window.tabGroups.all[0]?.tabs.push({ input: opened });
  edits.disk.set(opened.uri.toString(), isDirty ? "on disk" : text);
  return opened;
}

function change(changed: Document, text: string): void {
  Object.assign(changed, { text, isDirty: true });
  events.changed.fire({ document: changed, contentChanges: [{}] });
}

beforeEach(() => {
  documents.length = order.length = 0;
  window.tabGroups.all[0]?.tabs.splice(0);
  settings.clear();
});

// A file is saved only on request.
test("the parameter `save` selects unopened files, clean files or all files", async () => {
  const saved = async (save: EditorApplyParams["save"]): Promise<unknown> => {
    documents.length = 0;
    window.tabGroups.all[0]?.tabs.splice(0);
    const [dirty, clean] = [open("/dirty", "a", { isDirty: true }), open("/clean", "b")];
    const { changed } = await apply(() => {
      change(dirty, "aa");
      change(clean, "bb");
      const other = open("/other", "c", { isShown: false });
      events.opened.fire(other);
      change(other, "cc");
    }, { save });
    expect(changed.map(({ before, after }) => [before, after])).toEqual([["a", "aa"], ["b", "bb"], ["c", "cc"]]);
    return changed.map(({ isSaved }) => isSaved);
  };
  expect(await saved("unopened")).toEqual([false, false, true]);
  expect(await saved("clean")).toEqual([false, true, true]);
  expect(await saved("all")).toEqual([true, true, true]);
});

test("an edit that restores the text on disk saves the document", async () => {
  const shown = open("/a", "a", { isDirty: true });
  await apply(() => { change(shown, "on disk"); });
  expect(shown.isDirty).toBe(false);
});

test("the editor refuses the whole edit if a text has changed since", async () => {
  open("/a", "typed\r\n");
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  await expect(apply(() => undefined, { texts: { "file:///a": hash("before\n") } })).rejects.toMatchObject({ code: -32801, message: "file:///a" });
  expect(order).toEqual(["flush"]);
  expect((await apply(() => undefined, { texts: { "file:///a": hash("typed\n"), "file:///closed": "" } })).applied).toBe(true);
});

// Typed text is neither saved nor reverted.
test("the editor reports a document that the user changes during the edit and does not save it", async () => {
  const names = ["/typed", "/undone", "/clicked", "/old"] as const;
  const [typed, undone, clicked, moving] = names.map((name) => open(name, "a")) as [Document, Document, Document, Document];
  const rename = { kind: "rename" as const, oldUri: "file:///old", newUri: "file:///new" };
  const { changed } = await apply(() => {
    for (const opened of [typed, clicked, moving]) change(opened, "ab");
    events.selection.fire({ kind: 1, textEditor: { document: typed } });
    events.selection.fire({ kind: 2, textEditor: { document: clicked } });
    events.selection.fire({ kind: 1, textEditor: { document: moving } });
    undone.text = "b";
    undone.isDirty = true;
    events.changed.fire({ document: undone, contentChanges: [{}], reason: 1 });
    const reopened = { ...document("/new"), text: "ab", isDirty: true };
    documents.splice(3, 1, reopened);
    events.opened.fire(reopened);
  }, { edit: { documentChanges: [rename] }, save: "all" });
  expect(changed.map(({ uri, isTyped, isSaved }) => [uri, isTyped, isSaved])).toEqual([
    ["file:///typed", true, false], ["file:///undone", true, false], ["file:///clicked", false, true], ["file:///new", true, false],
  ]);
});

// The editor never makes an edit whose request it has answered as cancelled.
test("edits run one after the other; a cancellation stops only an edit that has not begun", async () => {
  const token = { isCancellationRequested: false };
  const first = apply(() => { token.isCancellationRequested = true; });
  const second = answer({ edit: {}, texts: {}, save: "all", settings: [], isFollowed: false }, token);
  expect([(await first).applied, (await second).applied]).toEqual([true, false]);
  expect((await second).failureReason).toBe("it was cancelled before it began");
  expect(order).toEqual(["edit", "flush"]);
});

// A temporary setting is restored in every case.
test("settings apply during the edit and are restored, even if the edit fails", async () => {
  settings.set("b", "mine");
  const settingsDuring = [{ key: "a", value: "always" }, { key: "b", value: false }];
  const during: unknown[] = [];
  await apply(() => during.push(settings.get("a"), settings.get("b")), { settings: settingsDuring });
  expect(during).toEqual(["always", false]);
  expect([settings.get("a") ?? null, settings.get("b")]).toEqual([null, "mine"]);
  await expect(apply(() => { throw new Error("no"); }, { settings: settingsDuring })).rejects.toThrow("no");
  expect([settings.get("a") ?? null, settings.get("b")]).toEqual([null, "mine"]);
});

test("neither a language that never answers nor an open log blocks the next edit", async () => {
  vi.useFakeTimers();
  commandResults.set("vscode.executeTypeDefinitionProvider", () => new Promise(() => undefined));
  const rename = { kind: "rename" as const, oldUri: "file:///old", newUri: "file:///new" };
  const move = (): Promise<EditorApplyResult> => apply(() => undefined, { edit: { documentChanges: [rename] }, isFollowed: true });
  const stuck = move();
  await vi.advanceTimersByTimeAsync(15_200);
  expect((await stuck).applied).toBe(true);
  commandResults.set("vscode.executeTypeDefinitionProvider", () => {
    events.changed.fire({ document: document("/log", "output"), contentChanges: [{}] });
  });
  const logged = move();
  await vi.advanceTimersByTimeAsync(400);
  expect((await logged).applied).toBe(true);
  commandResults.delete("vscode.executeTypeDefinitionProvider");
  vi.useRealTimers();
});

test("a failed edit removes its listeners", async () => {
  await expect(apply(() => { throw new Error("no"); })).rejects.toThrow("no");
  const opened = document("/a");
  let read = 0;
  opened.getText = () => { read += 1; return ""; };
  events.opened.fire(opened);
  expect(read).toBe(0);
});

test("the result names a moved file by its new URI and includes later changes by extensions", async () => {
  const [moving, other] = [open("/old/a.ts", "unsaved", { isDirty: true }), open("/b.ts", "import a")];
  commandResults.set("vscode.executeTypeDefinitionProvider", () => {
    // Extensions follow a move after some time.
    if (other.text === "import a") change(other, "import new");
  });
  const rename = { kind: "rename" as const, oldUri: "file:///old", newUri: "file:///new" };
  const { changed } = await apply(() => {
    moving.isClosed = true;
    documents.shift();
    const reopened = { ...document("/new/a.ts"), text: "on disk" };
    documents.push(reopened);
    events.opened.fire(reopened);
    change(reopened, "unsaved, and changed");
  }, { edit: { documentChanges: [rename] }, isFollowed: true });
  expect(changed).toEqual([
    { uri: "file:///b.ts", before: "import a", after: "import new", isSaved: false, isTyped: false },
    { uri: "file:///new/a.ts", before: "unsaved", after: "unsaved, and changed", isSaved: false, isTyped: false },
  ]);
  commandResults.delete("vscode.executeTypeDefinitionProvider");
});
