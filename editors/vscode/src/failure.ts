// Failures as texts that a model or a person can act on.

/** The text of whatever was thrown. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The server's own words for a failure begin like this. */
const TOLD = /^(Invalid input: |Error in |Failed to )/;

/** A tool's failure: in the server's words, or in the same form. */
export function failure(tool: string, error: unknown): string {
  const what = message(error);
  return TOLD.test(what) ? what : `Error in ${tool}: ${what}`;
}
