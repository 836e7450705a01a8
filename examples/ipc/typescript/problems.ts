// Prints the diagnostics of the workspace, or of the given files, from the host of the current directory.
//
// usage: node problems.ts [FILE …]
//
// Exit code: 0 no errors, 1 errors, 3 no answer.
import path from "node:path";

import { printable } from "./hosts.ts";
import { type Coverage, type FileDiagnostics, IpcError, VSCodeIPCClient, withClient } from "./zubi-ipc.ts";

/** Renders one line per diagnostic. Lines and columns are 1-based, as people count. */
function lines(file: FileDiagnostics): string[] {
  const name = path.relative(process.cwd(), file.path);
  return file.diagnostics.map(({ range: { start }, severity, message, source }) => {
    const from = source === undefined ? "" : ` (${source})`;
    // Compilers' messages may contain line breaks.
    const text = message.split(/\s+/).join(" ");
    return printable(`${name}:${start.line + 1}:${start.character + 1} ${severity}: ${text}${from}`);
  });
}

/** The parts that the host has not checked. An empty list of diagnostics means little without them. */
function coverageNotes({ coverage }: { readonly coverage?: Coverage }): string[] {
  if (coverage === undefined || coverage.analysed === coverage.total) return [];
  const note = coverage.note === undefined ? "" : `: ${coverage.note}`;
  return [printable(`looked at ${coverage.analysed} of ${coverage.total} files${note}`)];
}

async function ask(client: VSCodeIPCClient): Promise<number> {
  process.stderr.write(`using the ${client.host?.kind ?? ""} host, process ${client.host?.pid ?? 0}\n`);
  const named = process.argv.slice(2);
  const all = named.length > 0 ? undefined : await client.getAllDiagnostics();
  const files = all?.files ?? (await Promise.all(named.map((file) => client.validateFile(file))));
  const printed = [...files.flatMap(lines), ...(all === undefined ? files : [all]).flatMap(coverageNotes)];
  process.stdout.write(printed.map((line) => `${line}\n`).join(""));
  return files.some((file) => file.diagnostics.some((problem) => problem.severity === "error")) ? 1 : 0;
}

try {
  process.exitCode = await withClient({ timeoutMs: 60_000 }, ask);
} catch (error) {
  if (!(error instanceof IpcError)) throw error;
  process.stderr.write(`${error.message}\n${error.suggestion}\n`);
  process.exitCode = 3;
}
