/** Flags that mean the same wherever they appear; each may stand before or after the subcommand. */

import { z } from "zod";

/** Who answers, with what model, where the work happens, what may be done. */
export const commonFlags = z.object({
	provider: z
		.string()
		.optional()
		.meta({ value: "P", completes: "providers", description: "Who answers (hermes auth list names them)" }),
	model: z
		.string()
		.optional()
		.meta({ short: "m", value: "MODEL", completes: "models", description: "The model to ask" }),
	baseUrl: z.string().optional().meta({ value: "U", description: "Address of an OpenAI-compatible endpoint" }),
	backend: z
		.string()
		.optional()
		.meta({ value: "B", completes: "backends", description: "Where commands run (default: local)" }),
	// An empty list would be a request without tools, which nobody asks for by this flag.
	toolsets: z
		.string()
		.refine((list) => splitNames(list).length > 0, "must name a toolset or a tool")
		.transform(splitNames)
		.optional()
		.meta({
			short: "t",
			value: "TOOLSETS",
			completes: "toolsets",
			description: "Toolsets or tools the model gets, split by commas",
		}),
	yolo: z.boolean().default(false).meta({ description: "Run every call without asking" }),
});

/** Whose settings, keys and sessions: it is read before anything else, and no action sees it. */
export const profileFlag = z.object({
	profile: z.string().optional().meta({
		short: "p",
		value: "NAME",
		completes: "profiles",
		description: "The profile to work in (hermes profile list)",
	}),
});

/** Where commands run, for what works without a model. */
export const placeFlags = z.object({
	backend: commonFlags.shape.backend,
	cwd: z.string().optional().meta({ value: "D", description: "Folder to start in" }),
});

/** For what lists something. */
export const jsonFlag = z.object({
	json: z.boolean().default(false).meta({ description: "Print JSON" }),
});

/** `a, b` is two names. */
export function splitNames(list: string): string[] {
	return list
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "");
}
