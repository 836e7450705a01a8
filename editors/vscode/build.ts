// Bundles the extension: `node build.ts OUTPUT [--minify]`. Types are checked by `tsc`, not here.
import { argv } from "node:process";
import { build } from "esbuild";

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

if (import.meta.main) {
  const [, , output, minify] = argv;
  if (output === undefined) throw new Error("usage: node build.ts OUTPUT [--minify]");
  await bundle(`${import.meta.dirname}/src/extension.ts`, output, minify === "--minify");
}
