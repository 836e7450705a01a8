// Requests to the harness outside the extension host, and through it to this window's page.
import { connect, type Socket } from "node:net";
import { env } from "node:process";
import { createInterface } from "node:readline";
import { type Answer, type Progress, type Outcome, SOCKET, type HarnessRequest } from "../wire.ts";

let connection: Socket | undefined;
const waiting: ((answer: Answer) => void)[] = [];

/** Sends the harness a request and returns its answer. */
async function request(message: HarnessRequest): Promise<unknown> {
  if (connection === undefined) {
    connection = connect(env[SOCKET] ?? "");
    createInterface({ input: connection }).on("line", (line) => waiting.shift()?.(JSON.parse(line) as Answer));
  }
  connection.write(`${JSON.stringify(message)}\n`);
  const answer = await new Promise<Answer>((resolve) => waiting.push(resolve));
  if ("failure" in answer) throw new Error(answer.failure);
  return answer.value;
}

export async function begin(folder: string): Promise<Progress> {
  return (await request({ kind: "begin", folder })) as Progress;
}

export async function reportOutcome(outcome: Outcome): Promise<void> {
  await request({ kind: "outcome", outcome });
}

export async function end(): Promise<void> {
  await request({ kind: "end" });
}

/** Reloads the window, which ends this extension host. */
export async function reload(): Promise<void> {
  await request({ kind: "reload" });
}

/** Waits until an element is on the page; returns its text. */
export async function waitForText(selector: string): Promise<string> {
  return String(await request({ kind: "see", selector })).replaceAll("\u00a0", " ");
}

export async function waitForAbsence(selector: string): Promise<void> {
  await request({ kind: "gone", selector });
}

/** Waits until VS Code has stored a value that matches this in JSON: a reload loses what it has not stored yet. */
export async function waitForStored(pattern: RegExp): Promise<void> {
  await request({ kind: "stored", pattern: pattern.source });
}

export async function click(selector: string): Promise<void> {
  await request({ kind: "click", selector });
}

/** Replaces the text of a field. */
export async function fill(selector: string, text: string): Promise<void> {
  await request({ kind: "fill", selector, text });
}

export async function type(text: string): Promise<void> {
  await request({ kind: "type", text });
}

export async function press(keys: string): Promise<void> {
  await request({ kind: "press", keys });
}

/** Takes a screenshot of the window. */
export async function shot(name: string): Promise<void> {
  await request({ kind: "shot", name });
}

/** The visible dialog. */
const DIALOG = ".monaco-dialog-box";

/** Waits for a dialog and answers it with a button; returns its text. `picture` names a screenshot of the dialog. */
export async function answerDialog(button: string, picture?: string): Promise<string> {
  const text = await waitForText(DIALOG);
  if (picture !== undefined) await shot(picture);
  await click(`${DIALOG} .monaco-button:has-text("${button}")`);
  await waitForAbsence(DIALOG);
  return text;
}

/** Runs a command by its title, through the palette. */
export async function palette(title: string): Promise<void> {
  await press("F1");
  await waitForText(".quick-input-widget .quick-input-list");
  await type(title);
  await click(`.quick-input-widget .monaco-list-row:has-text("${title}")`);
}
