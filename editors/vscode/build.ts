// Makes the extension: `node build.ts OUTPUT [--minify]`. Types are checked by `tsc`, not here.
import { cp } from "node:fs/promises";
import * as path from "node:path";
import { argv } from "node:process";
import { build } from "esbuild";

/** The files of the chat page, which are those of `zubi web`. */
const PAGE = path.resolve(import.meta.dirname, "../../crates/zubi-web/page");

/** Bundles one entry point into a CommonJS file, which is what VS Code loads. The module `vscode` is the editor itself. */
export async function bundle(entry: string, output: string, minify = false): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    minify,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    logLevel: "warning",
  });
}

/** Bundles the extension, and puts the page of its chat view beside it. */
export async function bundleExtension(output: string, minify = false): Promise<void> {
  await bundle(path.join(import.meta.dirname, "src/extension.ts"), output, minify);
  await cp(PAGE, path.join(path.dirname(output), "page"), { recursive: true });
}

if (import.meta.main) {
  const [, , output, minify] = argv;
  if (output === undefined) throw new Error("usage: node build.ts OUTPUT [--minify]");
  await bundleExtension(output, minify === "--minify");
}
