// What VS Code loads in its extension host: runs one group of cases and writes what each came to.
import { writeFileSync } from "node:fs";
import { env } from "node:process";
import type { Case } from "./harness.ts";
import { answers } from "./answers.ts";
import { beside } from "./beside.ts";
import { diagnostics } from "./diagnostics.ts";
import { missing } from "./missing.ts";
import { processes } from "./processes.ts";
import { sight } from "./sight.ts";
import { silent } from "./silent.ts";
import { stopped } from "./stopped.ts";

/** Groups share a window; a case that breaks the server stands in a group of its own, or at the end of one. */
const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  answers: [...answers, ...diagnostics, ...processes, ...sight, ...stopped],
  beside,
  missing,
  silent,
};

/** A case that takes longer has failed; without it the next ones would never run. */
const LIMIT_MS = 30_000;

interface Outcome {
  readonly name: string;
  /** What went wrong; absent when the case passed. */
  readonly failure?: string;
}

/** Called by VS Code; an error makes the run fail. */
export async function run(): Promise<void> {
  const group = GROUPS[env["ZUBI_TEST_GROUP"] ?? ""];
  const results = env["ZUBI_TEST_RESULTS"];
  if (group === undefined || results === undefined) throw new Error("there is no such group of tests");
  const outcomes: Outcome[] = [];
  for (const { name, body } of group) {
    outcomes.push(await outcome(name, body));
    // After each, so that a run that is given up tells how far it came.
    writeFileSync(results, JSON.stringify(outcomes));
  }
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) throw new Error(failed.map(({ name }) => name).join(", "));
}

async function outcome(name: string, body: () => Promise<void>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => { reject(new Error(`took longer than ${LIMIT_MS} ms`)); }, LIMIT_MS);
  });
  try {
    await Promise.race([body(), late]);
    return { name };
  } catch (error) {
    return { name, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
