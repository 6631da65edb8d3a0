/** Every subcommand of `hermes`. */

import { modulesIn } from "../base/plugins.ts";
import type { Subcommand } from "./subcommand.ts";

/** Name on the command line to loader. */
export const subcommands = modulesIn<Subcommand>(import.meta.dir);
