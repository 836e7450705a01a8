// All groups of cases, by the name that the Rust test gives.
import { guarded } from "./guarded.ts";
import { inspector } from "./inspector.ts";
import { screenshots } from "./look.ts";
import { task } from "./task.ts";
import type { World } from "./world.ts";

/** A case, by what it shows to be true. A text that it returns is shown with it. */
export type Cases = Readonly<Record<string, (world: World) => Promise<string | undefined>>>;

export const groups: Readonly<Record<string, Cases | undefined>> = { guarded, inspector, look: screenshots, task };
