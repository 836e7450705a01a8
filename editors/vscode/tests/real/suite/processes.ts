// The tools answer from the running language server; they start no other process.
import * as assert from "node:assert/strict";
import { ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { env, pid } from "node:process";
import { PROGRAM } from "../wire.ts";
import { callTool, type Case } from "./harness.ts";

export const processes: readonly Case[] = [
  {
    name: "the tools start no process besides the language server and its parser",
    body: async () => {
      const servers = serverPids();
      assert.equal(servers.length, 1, `language servers: ${servers.join(", ")}`);
      const started = recordStarts();
      await callTool("domainlang_validate", {});
      await callTool("domainlang_list", { type: "domains" });
      await callTool("domainlang_get", {});
      await callTool("domainlang_explain", { fqn: "Sales" });
      await callTool("lsp_definition", { at: "web/src/report.ts:8:15" });
      // A process of the test itself shows that the recording works.
      spawn("true");
      assert.deepEqual(started.end(), ["true"]);
      assert.deepEqual(serverPids(), servers);
      const [server = 0] = servers;
      // The index parses the files in a process of its own.
      const isParser = (line: string): boolean => line.includes(" __parse ");
      assert.deepEqual(
        children(server)
          .map(commandLine)
          .filter((line) => !isParser(line)),
        [],
      );
    },
  },
];

/** The children of this extension host that are the program under test. */
export function serverPids(): number[] {
  const server = env[PROGRAM] ?? "";
  return children(pid).filter((child) => commandLine(child).includes(`${server} lsp`));
}

/**
 * Records every process that any extension starts in this extension host. It omits those that VS Code itself starts
 * there at any time: to search for files, or to list the processes that listen on ports.
 */
function recordStarts(): { end: () => string[] } {
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: { file: string }) => unknown };
  const { spawn } = prototype;
  const started: string[] = [];
  prototype.spawn = function (options) {
    if (!isOfVsCode(new Error().stack ?? "")) started.push(options.file);
    return spawn.call(this, options);
  };
  return {
    end: () => {
      prototype.spawn = spawn;
      return started;
    },
  };
}

/** Whether the stack of the replaced `spawn` shows that VS Code's own code starts the process. */
function isOfVsCode(stack: string): boolean {
  const [, , ...callers] = stack.split("\n");
  const caller = callers.find((line) => !line.includes("node:"));
  return caller?.includes("/out/vs/workbench/api/") === true;
}

/** The children of a process. */
export function children(parent: number): number[] {
  const tasks = `/proc/${parent}/task`;
  const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
  return lists.join(" ").split(/\s+/).filter((word) => word !== "").map(Number);
}

export function commandLine(process: number): string {
  return readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0").join(" ");
}
