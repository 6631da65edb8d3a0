/** Every slash command, by name. */

import { modulesIn } from "../base/plugins.ts";
import type { Command } from "./command.ts";

/** Loaded by whoever opens a chat. */
export const commands = modulesIn<Command>(import.meta.dir);
