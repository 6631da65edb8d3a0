/** The flags of a conversation, for `hermes chat` and for `hermes` alone. */

import { z } from "zod";
import { commonFlags } from "../common-flags.ts";

/** Who answers, where, and how the answer is shown. */
export const chatFlags = commonFlags.extend({
	query: z
		.string()
		.optional()
		.meta({ short: "q", value: "TEXT", description: "Ask once and leave; - reads standard input" }),
	image: z
		.array(z.string())
		.default([])
		.meta({ value: "FILE", repeats: true, description: "With -q or -z: show an image with it; may be repeated" }),
	resume: z.string().optional().meta({
		short: "r",
		value: "ID",
		completes: "sessions",
		description: "Go on with a session: its id, the beginning of it, or its title",
	}),
	continue: z
		.union([z.string(), z.literal(true)])
		.optional()
		.meta({ short: "c", value: "[TITLE]", description: "Go on with the latest session, or the latest of this title" }),
	maxTurns: z.coerce
		.number()
		.int()
		.min(1)
		.optional()
		.meta({ value: "N", description: "Model calls one question may take (default: 90)" }),
	output: z
		.enum(["text", "json", "stream-json"])
		.default("text")
		.meta({ value: "FORM", description: "text, json (one object at the end) or stream-json (one event a line)" }),
	quiet: z.boolean().default(false).meta({ short: "Q", description: "Print the final answer only" }),
	cli: z.boolean().default(false).meta({ description: "Chat line by line, without drawing (as with TERM=dumb)" }),
	tui: z
		.boolean()
		.default(false)
		.meta({ description: "Draw the chat on the terminal, whatever display.interface says" }),
	noWait: z
		.boolean()
		.default(false)
		.meta({ description: "With -q or -z: leave at once, and say which background processes run on" }),
	record: z
		.string()
		.optional()
		.meta({ value: "FILE", description: "Write what the model answers to a cassette (*.raw.jsonl: word for word)" }),
	cassette: z.string().optional().meta({ value: "FILE", description: "Let a cassette answer instead of a model" }),
});

/** What the user typed for a conversation. */
export type ChatFlags = z.output<typeof chatFlags>;

/** The same, and what only scripts ask for. */
export interface ConversationFlags extends Omit<ChatFlags, "image" | "noWait" | "cli" | "tui"> {
	readonly image?: readonly string[];
	readonly noWait?: boolean;
	readonly disabledToolsets?: readonly string[] | undefined;
	/** Shows on standard error what a quiet run does. */
	readonly verbose?: boolean;
}
