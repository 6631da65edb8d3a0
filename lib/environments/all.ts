/** Every backend of this folder. */

import { modulesIn } from "../base/plugins.ts";
import type { Backend } from "./backend.ts";

/** Backend name to loader. */
export const backends = modulesIn<Backend>(import.meta.dir);
