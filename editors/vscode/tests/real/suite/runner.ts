// Runs a group of cases, one after the other, and sends the harness the result of each.
import * as vscode from "vscode";
import type { Outcome } from "../wire.ts";
import type { Case } from "./harness.ts";
import * as page from "./page.ts";

/** The time limit of a case in milliseconds. Without it, a hanging case would block the next ones. */
const LIMIT_MS = 90_000;

/** Runs the cases that have not run yet in this window; throws if a case has failed. */
export async function runGroup(groups: Readonly<Record<string, readonly Case[]>>): Promise<void> {
  const { group, done } = await page.begin(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
  const cases = groups[group];
  if (cases === undefined) throw new Error(`there is no group of tests ${group}`);
  const failed: string[] = [];
  for (const { name, body, reloads = false } of cases.slice(done)) {
    const result = await outcome(name, body);
    await page.reportOutcome(result);
    if (result.failure !== undefined) failed.push(name);
    // The next ones run in another extension host, which continues after this case.
    if (reloads) return void page.reload();
  }
  await page.end();
  if (failed.length > 0) throw new Error(failed.join(", "));
}

async function outcome(name: string, body: () => Promise<void>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => { reject(new Error(`took longer than ${LIMIT_MS} ms`)); }, LIMIT_MS);
  });
  try {
    await Promise.race([body(), late]);
    return { name, seconds: seconds() };
  } catch (error) {
    return { name, seconds: seconds(), failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
