/** Every provider in this folder, by name. */

import { modulesIn } from "../base/plugins.ts";
import type { Provider } from "./provider.ts";

/** Provider id to loader. */
export const providers = modulesIn<Provider>(import.meta.dir);
