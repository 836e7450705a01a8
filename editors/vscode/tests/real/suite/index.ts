// The bundle that VS Code loads in its extension host: the groups of cases, and their start.
import type { Case } from "./harness.ts";
import { answers } from "./answers.ts";
import { approvals, approved, untrusted } from "./approvals.ts";
import { bench } from "./bench.ts";
import { beside } from "./beside.ts";
import { chat } from "./chat.ts";
import { diagnostics } from "./diagnostics.ts";
import { editorState } from "./editorState.ts";
import { edits } from "./edits.ts";
import { endpoint } from "./endpoint.ts";
import { everything } from "./everything.ts";
import { look } from "./look.ts";
import { mcp } from "./mcp.ts";
import { missing } from "./missing.ts";
import { models } from "./models.ts";
import { packaged } from "./packaged.ts";
import { processes } from "./processes.ts";
import { python } from "./python.ts";
import { runGroup } from "./runner.ts";
import { silent } from "./silent.ts";
import { stopped } from "./stopped.ts";
import { disposed, reloaded, window } from "./windows.ts";

/**
 * The groups. The cases of a group share a window, because a start takes ten seconds. A case that breaks the server or
 * the window has its own group, or is the last of one.
 */
const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  agent: [...models, ...chat],
  approvals,
  approved,
  bench,
  beside,
  code: [...endpoint, ...answers, ...diagnostics, ...processes, ...editorState, ...edits, ...stopped],
  everything,
  look: [...look, ...disposed],
  mcp,
  missing,
  packaged,
  python,
  reloaded,
  silent,
  untrusted,
  window,
};

/** VS Code calls this to run tests; an error makes the run fail. */
export async function run(): Promise<void> {
  await runGroup(GROUPS);
}

/** VS Code calls this if the tests are an ordinary extension. The harness starts the groups. */
export function activate(): void {
  void runGroup(GROUPS);
}
