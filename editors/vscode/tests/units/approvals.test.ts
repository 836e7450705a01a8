import { expect, test } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import { approvals } from "../../src/approvals.ts";
import { answer, Disposable, shownErrors } from "./vscode.ts";

/** Asks as the server does; the user chooses the option of this name. */
function ask(chosen: string | undefined): unknown {
  let handler: (params: unknown) => unknown = () => undefined;
  const client = {
    onRequest: (method: string, asked: typeof handler) => {
      expect(method).toBe("zubi/approval/request");
      handler = asked;
      return new Disposable(() => undefined);
    },
  };
  approvals.attach(client as unknown as LanguageClient);
  if (chosen === undefined) delete answer.button;
  else answer.button = chosen;
  return handler({ title: "jira.create wants to run", detail: "  sandbox  none", options: ["Allow this call", "Allow always"] });
}

test.each([
  ["Allow this call", 0],
  ["Allow always", 1],
  [undefined, null],
])("the choice of %s is %s", async (chosen, choice) => {
  expect(await ask(chosen)).toEqual({ choice });
  expect(shownErrors.at(-1)).toBe("jira.create wants to run\n  sandbox  none");
});
