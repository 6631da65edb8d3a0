/** The flags of `hermes agent-run`. */

import { z } from "zod";
import { commonFlags } from "../common-flags.ts";
import { chatFlags } from "../conversation/flags.ts";

const { toolsets, ...common } = commonFlags.shape;
const { query, image, maxTurns, record, cassette } = chatFlags.shape;

/** A run of one question, with names that scripts know from elsewhere. */
export const agentRunFlags = z.object({
	query: query.meta({ short: "q", value: "TEXT", description: "What to do; - reads standard input" }),
	image: image.meta({ value: "FILE", repeats: true, description: "Show an image with it; may be repeated" }),
	...common,
	maxTurns: maxTurns.default(10).meta({ value: "N", description: "Model calls it may take (default: 10)" }),
	enabledToolsets: toolsets.meta({ value: "TOOLSETS", description: "Toolsets or tools the model gets (default: all)" }),
	disabledToolsets: toolsets.meta({ short: undefined, description: "Toolsets or tools it does not get" }),
	listTools: z.boolean().default(false).meta({ description: "List the tools it would get, and leave" }),
	verbose: z.boolean().default(false).meta({ short: "v", description: "Show what it does on standard error" }),
	record,
	cassette,
	apiKey: z.string().optional().meta({ value: "KEY", description: "Refused: a key belongs into the environment" }),
});

/** What the user typed for a run. */
export type AgentRunFlags = z.output<typeof agentRunFlags>;
