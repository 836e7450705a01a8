import { expect, test, vi } from "vitest";
import type { LanguageClient } from "vscode-languageclient/node";
import type { StatusParams } from "../../src/protocol.ts";
import { Status } from "../../src/status.ts";
import { commandResults, Disposable, EventEmitter, statusItems } from "./vscode.ts";

const { Stopped, Running, Starting } = vi.hoisted(() => ({ Stopped: 1, Running: 2, Starting: 3 }));
vi.mock("vscode-languageclient/node", () => ({ State: { Stopped, Running, Starting } }));

const HOST: StatusParams = { instance: "a1", port: 9847, clients: [], tools: 60, revision: 2, hasModels: true };

/** A status, its client, and its visible effects. */
function status(): { status: Status; state: (newState: number) => void; notify: (host: StatusParams) => void; detach: () => void; seen: () => string } {
  const context = new Map<unknown, unknown>();
  commandResults.set("setContext", (key, value) => context.set(key, value));
  const item = new Status();
  const [states, hosts] = [new EventEmitter<{ newState: number }>(), new EventEmitter<StatusParams>()];
  const client = { onDidChangeState: states.event, onNotification: (_method: string, handler: (host: StatusParams) => void) => hosts.event(handler) };
  const attached = item.attach(client as unknown as LanguageClient) as unknown as Disposable;
  return {
    status: item,
    state: (newState) => { states.fire({ newState }); },
    notify: (host) => { hosts.fire(host); },
    detach: () => { attached.dispose(); },
    seen: () => {
      const { text = "", tooltip = "" } = statusItems.at(-1) ?? {};
      return [text, ...tooltip.split("\n"), ...[...context].map(([key, value]) => `${String(key)}=${String(value)}`)].join(" | ");
    },
  };
}

test("the status item shows the state of the server and its clients", () => {
  const { status: item, state, notify, detach, seen } = status();
  state(Starting);
  expect(seen()).toBe("$(loading~spin) zubi | The language server is starting. | zubi.running=false | zubi.hasModels=false");
  state(Running);
  expect(seen()).toBe("$(plug) zubi | The language server is running. | zubi.running=true | zubi.hasModels=false");
  notify({ ...HOST, clients: [{ name: "zubi 0.1.0", pid: 7 }, { name: "a script" }] });
  expect(seen()).toBe(
    "$(plug) zubi | The language server is running. | 60 tools, port 9847 | Attached: zubi 0.1.0 | Attached: a script" +
      " | zubi.running=true | zubi.hasModels=true",
  );
  expect(item.host?.instance).toBe("a1");
  detach();
  expect(seen()).toBe("$(debug-disconnect) zubi | The language server is stopped. | zubi.running=false | zubi.hasModels=false");
  expect(item.host).toBeUndefined();
});

test("the status item shows a problem until the next start, and a problem of the host while the host reports it", () => {
  const { status: item, state, notify, seen } = status();
  state(Running);
  notify({ ...HOST, problem: "port 4000 is taken" });
  expect(seen()).toContain("$(warning) zubi | port 4000 is taken | 60 tools");
  notify(HOST);
  expect(seen()).toContain("$(plug) zubi");
  item.reportProblem("it is too old");
  expect(seen()).toContain("$(warning) zubi | it is too old");
  item.attach({ onDidChangeState: () => new Disposable(() => undefined), onNotification: () => new Disposable(() => undefined) } as unknown as LanguageClient);
  expect(seen()).toContain("$(loading~spin) zubi");
});

test("the status item shows no undefined or null for missing values", () => {
  const { notify, seen } = status();
  notify({ clients: [], tools: 0, revision: 0, hasModels: false, problem: "there is no folder" });
  expect(seen()).toContain("$(warning) zubi | there is no folder | 0 tools, port none");
  expect(seen()).not.toMatch(/undefined|null|\[object/);
});
