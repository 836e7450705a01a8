// Waits with a deadline.

/** Returns a promise's value, or fails at the deadline. */
export function before<Value>(deadline: AbortSignal, what: string, value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = (): void => { reject(new Error(`gave up waiting for ${what}`)); };
    if (deadline.aborted) late();
    deadline.addEventListener("abort", late, { once: true });
    value.then(resolve, reject).finally(() => { deadline.removeEventListener("abort", late); });
  });
}
