import { beforeEach, expect, test } from "vitest";
import { handleConfig } from "../../src/settings.ts";
import { settings, userSettings } from "./vscode.ts";

beforeEach(() => {
  settings.clear();
  userSettings.clear();
});

// VS Code reads the scope `true` as "the user's".
test("a write at the scope workspace, or without a scope, does not change the user's value", async () => {
  userSettings.set("a.b", "user's");
  expect(await handleConfig({ key: "a.b", scope: "workspace", value: 1 })).toMatchObject({ value: 1, workspace: 1, user: "user's" });
  expect(await handleConfig({ key: "a.b", value: 2 })).toMatchObject({ value: 2, workspace: 2, user: "user's" });
});

// The response is the value that was read after writing.
test("the answer contains the value after the write, and null removes the value", async () => {
  settings.set("a.b", "old");
  expect(await handleConfig({ key: "a.b", value: "new" })).toMatchObject({ key: "a.b", value: "new", workspace: "new" });
  expect(await handleConfig({ key: "a.b", value: null })).toMatchObject({ value: null, workspace: null, default: null, folder: null });
  expect(await handleConfig({ key: "a.b" })).toMatchObject({ value: null });
});
