/** `hermes` without a subcommand: a chat, or one question with `-z`. */

import { z } from "zod";
import { exitCodesHelp, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { chatFlags } from "./flags.ts";

/** What `hermes` does when no subcommand is named. */
export const rootAction = defineAction({
	summary: "An agent that runs a model's tool calls. Alone on a terminal it starts a chat.",
	details: exitCodesHelp,
	flags: chatFlags.extend({
		oneshot: z
			.string()
			.optional()
			.meta({ short: "z", value: "PROMPT", description: "Ask once and print the final text only" }),
		version: z.boolean().default(false).meta({ short: "V", description: "Print the version" }),
	}),

	async run({ flags: { oneshot, version, ...flags } }, cli) {
		if (version) {
			cli.stdout.write(`hermes ${cli.version}\n`);
			return 0;
		}
		if (oneshot !== undefined && flags.query !== undefined) throw new UsageError("Cannot use -z and -q together");
		if (oneshot === undefined) return (await import("./run-chat.ts")).runChat(flags, cli);
		const { runOnce } = await import("./run-once.ts");
		return runOnce(oneshot, { ...flags, quiet: true }, cli);
	},
});
