/** Every tool in this folder. */

import { modulesIn } from "../base/plugins.ts";
import type { Tool } from "../registry/tool.ts";

/** Name of the file to loader; the name a model uses is in the tool itself. */
export const tools = modulesIn<Tool>(import.meta.dir);
