/** `/status`: where this conversation stands. */

import { type Command, chatSurfaces } from "./command.ts";

export default {
	name: "status",
	description: "session, model, place and what was used",
	category: "info",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, turn, say }) {
		const { sessionId, model, provider, place, store, used, consent } = conversation;
		const title = store?.getSession(sessionId)?.title;
		const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = used.tokens;
		const read = inputTokens + cacheReadTokens + cacheWriteTokens;
		const rows: readonly (readonly [string, string])[] = [
			["session", `${sessionId}${title == null ? "" : `  ${title}`}`],
			["model", `${model} (${[provider.id, provider.baseUrl].filter(Boolean).join(", ")})`],
			["place", `${place.ranOn}:${place.cwd}`],
			[
				"used",
				`${used.modelCalls} model calls, ${read.toLocaleString("en-US")} tokens read, ${outputTokens.toLocaleString("en-US")} written`,
			],
			...(consent.isUnasked ? [["consent", "YOLO: calls run without asking you; /yolo off ends that"] as const] : []),
			["now", turn === undefined ? "waiting for you" : "the model works; /stop ends it"],
		];
		say(rows.map(([name, value]) => `${name.padEnd(9)}${value}`).join("\n"));
		return undefined;
	},
} satisfies Command;
