// All groups of cases, by their names in the Rust test.
import { guarded } from "./guarded.ts";
import { inspector } from "./inspector.ts";
import { screenshots } from "./look.ts";
import { task } from "./task.ts";
import type { World } from "./world.ts";

/** Cases by the behaviour that they check. A returned text is part of the output. */
export type Cases = Readonly<Record<string, (world: World) => Promise<string | undefined>>>;

export const groups: Readonly<Record<string, Cases | undefined>> = { guarded, inspector, look: screenshots, task };
