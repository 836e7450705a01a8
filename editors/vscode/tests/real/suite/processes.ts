// The tools answer in the language server that runs anyway; nothing else is started for them.
import * as assert from "node:assert/strict";
import { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { env, pid } from "node:process";
import { ask, type Case } from "./harness.ts";

export const processes: readonly Case[] = [
  {
    name: "the tools start no process besides the language server",
    body: async () => {
      const servers = serverPids();
      assert.equal(servers.length, 1, `language servers: ${servers.join(", ")}`);
      const started = recordStarts();
      await ask("domainlang_validate", {});
      await ask("domainlang_list", { type: "domains" });
      await ask("domainlang_get", {});
      await ask("domainlang_explain", { fqn: "Sales" });
      await ask("lsp_definition", { at: "web/src/report.ts:8:15" });
      assert.deepEqual(started.end(), []);
      assert.deepEqual(serverPids(), servers);
      const [server = 0] = servers;
      assert.deepEqual(children(server).map(commandLine), []);
    },
  },
];

/** The children of this extension host that are the program under test. */
export function serverPids(): number[] {
  const server = env["ZUBI_TEST_SERVER"] ?? "";
  return children(pid).filter((child) => commandLine(child).includes(`${server} lsp`));
}

/** Writes down every process that this extension host starts, whichever extension asks for it. */
function recordStarts(): { end: () => string[] } {
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: { file: string }) => unknown };
  const { spawn } = prototype;
  const started: string[] = [];
  prototype.spawn = function (options) {
    started.push(options.file);
    return spawn.call(this, options);
  };
  return {
    end: () => {
      prototype.spawn = spawn;
      return started;
    },
  };
}

function children(parent: number): number[] {
  const tasks = `/proc/${parent}/task`;
  const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
  return lists.join(" ").split(/\s+/).filter((word) => word !== "").map(Number);
}

function commandLine(process: number): string {
  return readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0").join(" ");
}
