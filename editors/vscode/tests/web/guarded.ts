// Refused clients: a real browser, and a program with a forged origin.
import { createServer } from "node:http";
import { request } from "node:http";
import type { Cases } from "./cases.ts";
import { type World, same } from "./world.ts";

export const guarded: Cases = {
  "a page without a valid token shows only how to get one": async (world) => {
    for (const address of [world.address.replace(/#.*/, ""), world.address.replace(/token=\w{8}/, "token=00000000")]) {
      const page = await world.page(undefined, address);
      await page.locator("#unavailable").getByText("This page has no valid token. Open the whole address").waitFor();
      same(await page.locator("#conversations button").count(), 0);
      await page.context().close();
    }
    return undefined;
  },
  "the page removes the token from its address, and a reload works without it": async (world) => {
    const page = await world.page();
    await page.locator("#model option").first().waitFor({ state: "attached" });
    same(page.url(), `http://127.0.0.1:${world.port}/`);
    await page.reload();
    await page.locator("#model option").first().waitFor({ state: "attached" });
    return undefined;
  },
  "zubi refuses a page of another origin, even with the token": async (world) => {
    const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>Evil</title>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const page = await world.page(undefined, `http://127.0.0.1:${port}/`);
    const fetchFrom = (mode: string): Promise<unknown> => page.evaluate(`fetch("http://127.0.0.1:${world.port}/api/hello", {
      method: "POST", mode: "${mode}", body: "{}", headers: { authorization: "Bearer ${token(world)}" } }).then(() => "sent", () => "refused")`);
    same(await fetchFrom("cors"), "refused");
    const framed = await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => { try { resolve(String(frame.contentDocument?.title)); } catch { resolve("closed"); } };
      frame.src = "http://127.0.0.1:${world.port}/";
      document.body.append(frame);
    })`);
    same(framed === "zubi", false);
    server.close();
    await page.context().close();
    // These console errors are expected.
    world.complaints.length = 0;
    return undefined;
  },
  "zubi refuses requests with another host, another origin or a wrong token": async (world) => {
    const own = `127.0.0.1:${world.port}`;
    const bearer = `Bearer ${token(world)}`;
    const cases: readonly (readonly [string, Record<string, string>])[] = [
      ["as the page", { host: own, origin: `http://${own}`, authorization: bearer }],
      ["evil host", { host: "evil.example", authorization: bearer }],
      ["foreign origin", { host: own, origin: "http://evil.example", authorization: bearer }],
      ["wrong token", { host: own, authorization: `${bearer.slice(0, -1)}x` }],
    ];
    const lines: string[] = [];
    for (const [name, headers] of cases) lines.push(`        ${name}: ${String(await status(world.port, headers))}`);
    return lines.join("\n");
  },
};

function token(world: World): string {
  return world.address.replace(/.*#token=/, "");
}

function status(port: number, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "content-type": "application/json" };
    const call = request({ host: "127.0.0.1", port, path: "/api/hello", method: "POST", headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", reject);
    call.end("{}");
  });
}
