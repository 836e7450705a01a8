import { beforeEach, expect, test, vi } from "vitest";
import type * as vscode from "vscode";
import { DiagnosticsTracker } from "../../src/diagnostics.ts";
import type { DocumentReport } from "../../src/protocol.ts";
import { document, type Document, documents, EventEmitter, events, problems } from "./vscode.ts";

const client = { code2ProtocolConverter: { asDiagnostic: (item: unknown) => item } } as never;

const given = new EventEmitter<undefined>();
const token: vscode.CancellationToken = { isCancellationRequested: false, onCancellationRequested: given.event };

function uri(of: Document): vscode.Uri {
  return of.uri as unknown as vscode.Uri;
}

/** Sets a provider's diagnostics for a document. */
function setDiagnostics(of: Document, ...items: string[]): void {
  problems.set(of.uri.toString(), { uri: of.uri, items });
  events.diagnosed.fire({ uris: [of.uri] });
}

/** Starts a validation; `report` is set when there is one. */
function validate(followed: DiagnosticsTracker, of: Document): { report?: DocumentReport } {
  const response: { report?: DocumentReport } = {};
  void followed.validate(client, uri(of), token).then((report) => { response.report = report; });
  return response;
}

beforeEach(() => {
  vi.useFakeTimers();
  documents.length = 0;
  problems.clear();
  return () => { vi.useRealTimers(); };
});

test("validate opens a file and waits until no provider has sent diagnostics for 250 ms", async () => {
  const followed = new DiagnosticsTracker();
  const file = document("/a.toy");
  const response = validate(followed, file);
  await vi.advanceTimersByTimeAsync(1000);
  expect(documents).toHaveLength(1);
  setDiagnostics(document("/other.toy"), "not about it");
  setDiagnostics(file, "one");
  await vi.advanceTimersByTimeAsync(200);
  setDiagnostics(file, "one", "two");
  await vi.advanceTimersByTimeAsync(249);
  expect(response.report).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(response.report).toEqual({ kind: "full", items: ["one", "two"], isOpen: true, isCurrent: true, languageId: "toy" });
  followed.dispose();
});

test("validate does not wait for current diagnostics; only a change of the text makes them outdated", async () => {
  const file = document("/a.toy");
  documents.push(file);
  setDiagnostics(file, "bad");
  const followed = new DiagnosticsTracker();
  const current = (): boolean => followed.forDocument(client, uri(file)).isCurrent === true;
  expect((await followed.validate(client, uri(file), token)).isCurrent).toBe(true);
  events.changed.fire({ document: file, contentChanges: [] });
  expect(current()).toBe(true);
  events.changed.fire({ document: file, contentChanges: [{}] });
  expect(current()).toBe(false);
  setDiagnostics(file);
  expect(current()).toBe(true);
  documents.length = 0;
  events.closed.fire(file);
  expect(followed.forDocument(client, uri(file))).toEqual({ kind: "full", items: [], isOpen: false, isCurrent: false });
  followed.dispose();
});

test("validate waits once for a file without diagnostics and reports it as not current", async () => {
  const followed = new DiagnosticsTracker();
  const file = document("/a.toy");
  const response = validate(followed, file);
  await vi.advanceTimersByTimeAsync(4999);
  expect(response.report).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(response.report).toMatchObject({ items: [], isOpen: true, isCurrent: false });
  const again = validate(followed, file);
  await vi.advanceTimersByTimeAsync(0);
  expect(again.report?.isCurrent).toBe(false);
  // A provider that checks only visible documents gets its time when the document becomes visible.
  events.visible.fire([{ document: file }]);
  const shown = validate(followed, file);
  await vi.advanceTimersByTimeAsync(4999);
  expect(shown.report).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(shown.report?.isCurrent).toBe(false);
  events.changed.fire({ document: file, contentChanges: [{}] });
  const changed = validate(followed, file);
  await vi.advanceTimersByTimeAsync(100);
  expect(changed.report).toBeUndefined();
  given.fire(undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(changed.report).toBeDefined();
  followed.dispose();
});

test("validate waits for a file as long as its language's last checks suggest", async () => {
  const followed = new DiagnosticsTracker();
  const [checked, clean] = [document("/a.toy"), document("/b.toy")];
  documents.push(checked);
  for (const [took, timeout] of [[100, 1000], [500, 2000], [9000, 5000]] as const) {
    events.changed.fire({ document: checked, contentChanges: [{}] });
    await vi.advanceTimersByTimeAsync(took);
    setDiagnostics(checked);
    events.changed.fire({ document: clean, contentChanges: [{}] });
    const response = validate(followed, clean);
    await vi.advanceTimersByTimeAsync(timeout - 1);
    expect(response.report).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(response.report?.isCurrent).toBe(false);
  }
  followed.dispose();
});

test("the workspace report contains only files with diagnostics", () => {
  const [file, virtual] = [document("/a.toy"), document("/b", "git")];
  setDiagnostics(file, "bad");
  setDiagnostics(virtual, "bad");
  setDiagnostics(document("/good.toy"));
  const followed = new DiagnosticsTracker();
  expect(followed.forWorkspace(client)).toEqual({ items: [{ uri: "file:///a.toy", kind: "full", items: ["bad"] }] });
  followed.dispose();
});
