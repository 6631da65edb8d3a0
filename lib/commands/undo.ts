/** `/undo`: takes back what was said last. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";
import { pieceOf } from "./listed-session.ts";

const shownWords = 200;

export default {
	name: "undo",
	aliases: ["rewind"],
	description: "take back your last question, or the last N, and all that followed",
	argumentsHint: "[N]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation, say }, argument) {
		const store = keptStore(conversation);
		const count = argument === "" ? 1 : Number(argument);
		if (!Number.isInteger(count) || count < 1)
			throw new CommandRefused("Cannot take back: say how many questions, as in /undo 2");
		const asked = store
			.listMessages(conversation.sessionId)
			.filter(({ message }) => message.role === "user" && message.origin === undefined);
		const target = asked.at(-count);
		if (target === undefined) throw new CommandRefused(`Cannot take back: this session has ${asked.length} questions`);
		const text = store.rewind(conversation.sessionId, target.id) ?? "";
		conversation.reload();
		say(`Taken back, with all that followed: ${pieceOf(text, shownWords)}`);
		return undefined;
	},
} satisfies Command;
