/** For whom tools are listed, enabled and disabled. */

import { z } from "zod";

/** The name of a platform: `hermes-<name>` is its bundle. */
export const platformFlag = z
	.string()
	.regex(/^[a-z][a-z0-9_-]*$/, "must be the name of a platform, such as telegram")
	.optional()
	.meta({ value: "P", description: "One platform, such as cli or telegram" });
