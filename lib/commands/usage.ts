/** `/usage`: what the session has used. */

import { type Command, chatSurfaces } from "./command.ts";

export default {
	name: "usage",
	description: "tokens that this session has used",
	category: "info",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, say }) {
		const { modelCalls, tokens } = conversation.used;
		const rows: readonly (readonly [string, number])[] = [
			["model calls", modelCalls],
			["input tokens", tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens],
			["  from the cache", tokens.cacheReadTokens],
			["  into the cache", tokens.cacheWriteTokens],
			["output tokens", tokens.outputTokens],
			["  for reasoning", tokens.reasoningTokens],
		];
		const lines = rows.map(([name, count]) => `  ${name.padEnd(18)}${count.toLocaleString("en-US").padStart(12)}`);
		say([`Session ${conversation.sessionId}`, ...lines].join("\n"));
		return undefined;
	},
} satisfies Command;
