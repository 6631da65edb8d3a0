/** `/history`: what was said in this session. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";
import { pieceOf } from "./listed-session.ts";

const usualCount = 20;
const shownWords = 300;

export default {
	name: "history",
	description: "what was said in this session: the last N messages (20)",
	argumentsHint: "[N]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, say }, argument) {
		const count = argument === "" ? usualCount : Number(argument);
		if (!Number.isInteger(count) || count < 1)
			throw new CommandRefused("Cannot show that: say how many messages, as in /history 50");
		const said = keptStore(conversation)
			.listMessages(conversation.sessionId)
			.map(({ message }) => message)
			.filter(({ role, content }) => (role === "user" || role === "assistant") && content.trim() !== "");
		const lines = said
			.slice(-count)
			.map(({ role, content }) => `${role === "user" ? "you" : "hermes"}: ${pieceOf(content, shownWords)}`);
		say(lines.length === 0 ? "Nothing was said yet" : lines.join("\n"));
		return undefined;
	},
} satisfies Command;
