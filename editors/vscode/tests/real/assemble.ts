// Assembles the content of a window: the extension as it is packaged, the tests, and the extensions that tests need.
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { bundle, bundleExtension } from "../../build.ts";

const EXTENSION = path.resolve(import.meta.dirname, "../..");

/** Other extensions, by their names in a configuration, with the directories of their sources. */
const OTHERS: Readonly<Record<string, string>> = {
  models: path.join(import.meta.dirname, "models"),
  python: path.join(import.meta.dirname, "python"),
  sample: path.resolve(EXTENSION, "../../examples/vscode-extension"),
};

/** Assembles the extension from the sources, as it is packaged (`.vscodeignore` allows it) but without the program. */
export async function assembleExtension(target: string): Promise<void> {
  const allowed = (await readFile(path.join(EXTENSION, ".vscodeignore"), "utf8")).matchAll(/^!(?!dist\/|server\/)(.+)$/gm);
  for (const [, pattern = ""] of allowed) {
    for await (const file of glob(pattern, { cwd: EXTENSION })) {
      await cp(path.join(EXTENSION, file), path.join(target, file), { recursive: true });
    }
  }
  await bundleExtension(path.join(target, "dist/extension.cjs"));
}

/** Assembles the bundled tests, which begin on request (`run`). */
export async function assembleSuite(target: string): Promise<void> {
  await bundle(path.join(import.meta.dirname, "suite/index.ts"), target);
}

/** Assembles an extension that runs the tests as soon as a window is open. */
export async function assembleDriver(target: string): Promise<void> {
  await writeJson(path.join(target, "package.json"), {
    name: "driver",
    publisher: "zubi-tests",
    version: "0.0.1",
    engines: { vscode: "^1.101.0" },
    main: "./suite.cjs",
    activationEvents: ["onStartupFinished"],
    // Some cases are about untrusted folders.
    capabilities: { untrustedWorkspaces: { supported: true } },
  });
  await assembleSuite(path.join(target, "suite.cjs"));
}

/** Assembles one of the other extensions: its manifest, and its bundle at the path in the manifest. */
export async function assembleOther(name: string, target: string): Promise<void> {
  const source = OTHERS[name];
  if (source === undefined) throw new Error(`there is no extension ${name} for tests`);
  const manifest = await readFile(path.join(source, "package.json"), "utf8");
  const { main } = JSON.parse(manifest) as { readonly main: string };
  await bundle(path.join(source, "src/extension.ts"), path.join(target, main));
  await writeFile(path.join(target, "package.json"), manifest);
}

export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value));
}
