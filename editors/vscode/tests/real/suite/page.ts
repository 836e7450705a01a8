// The world outside the extension host: the harness, and through it this window's page as its user sees it.
import { connect, type Socket } from "node:net";
import { env } from "node:process";
import { createInterface } from "node:readline";
import { type Answer, type Begun, type Outcome, SOCKET, type Wish } from "../wire.ts";

let connection: Socket | undefined;
const waiting: ((answer: Answer) => void)[] = [];

/** Sends the harness a request and returns its answer. */
async function want(wish: Wish): Promise<unknown> {
  if (connection === undefined) {
    connection = connect(env[SOCKET] ?? "");
    createInterface({ input: connection }).on("line", (line) => waiting.shift()?.(JSON.parse(line) as Answer));
  }
  connection.write(`${JSON.stringify(wish)}\n`);
  const answer = await new Promise<Answer>((resolve) => waiting.push(resolve));
  if ("failure" in answer) throw new Error(answer.failure);
  return answer.value;
}

export async function begin(folder: string): Promise<Begun> {
  return (await want({ wish: "begin", folder })) as Begun;
}

export async function tell(outcome: Outcome): Promise<void> {
  await want({ wish: "outcome", outcome });
}

export async function end(): Promise<void> {
  await want({ wish: "end" });
}

/** Reloads the window. This extension host ends by it. */
export async function reload(): Promise<void> {
  await want({ wish: "reload" });
}

/** Waits until there is something in the page; its text. */
export async function see(selector: string): Promise<string> {
  return String(await want({ wish: "see", selector })).replaceAll("\u00a0", " ");
}

export async function gone(selector: string): Promise<void> {
  await want({ wish: "gone", selector });
}

export async function click(selector: string): Promise<void> {
  await want({ wish: "click", selector });
}

/** Replaces the text of a field. */
export async function fill(selector: string, text: string): Promise<void> {
  await want({ wish: "fill", selector, text });
}

export async function type(text: string): Promise<void> {
  await want({ wish: "type", text });
}

export async function press(keys: string): Promise<void> {
  await want({ wish: "press", keys });
}

/** Takes a picture of the window. */
export async function shot(name: string): Promise<void> {
  await want({ wish: "shot", name });
}

/** The dialog that is shown. */
const DIALOG = ".monaco-dialog-box";

/** Waits for a dialog and answers it with a button; the dialog's text. With a name a picture is taken of it before. */
export async function answerDialog(button: string, picture?: string): Promise<string> {
  const text = await see(DIALOG);
  if (picture !== undefined) await shot(picture);
  await click(`${DIALOG} .monaco-button:has-text("${button}")`);
  await gone(DIALOG);
  return text;
}

/** Runs a command by its title, through the palette. */
export async function palette(title: string): Promise<void> {
  await press("F1");
  await see(".quick-input-widget .quick-input-list");
  await type(title);
  await click(`.quick-input-widget .monaco-list-row:has-text("${title}")`);
}
