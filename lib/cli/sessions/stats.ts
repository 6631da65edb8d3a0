/** `hermes sessions stats`: how much there is. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";
import { isoTime } from "./shown.ts";

/** Numbers about all sessions. */
export const stats = defineAction({
	summary: "Count sessions, messages, tokens and bytes",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		using store = openSessions(cli);
		const { usage, oldest, newest, ...rest } = store.stats();
		const row = {
			sessions: rest.sessions,
			messages: rest.messages,
			by_source: rest.bySource,
			input_tokens: usage.inputTokens,
			output_tokens: usage.outputTokens,
			cache_read_tokens: usage.cacheReadTokens,
			cache_write_tokens: usage.cacheWriteTokens,
			reasoning_tokens: usage.reasoningTokens,
			cost_usd: rest.costUsd,
			bytes: rest.bytes,
			oldest: oldest === null ? null : isoTime(oldest),
			newest: newest === null ? null : isoTime(newest),
		};
		if (json) {
			cli.stdout.write(`${JSON.stringify(row, null, 2)}\n`);
			return exitCodes.ok;
		}
		const { by_source: sources, ...numbers } = row;
		for (const [name, value] of Object.entries(numbers))
			cli.stdout.write(`${name.replaceAll("_", " ").padEnd(20)}${shown(value)}\n`);
		for (const [source, count] of Object.entries(sources))
			cli.stdout.write(`${`from ${source}`.padEnd(20)}${shown(count)}\n`);
		return exitCodes.ok;
	},
});

function shown(value: string | number | null): string {
	return typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "-");
}
