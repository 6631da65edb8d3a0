/** `/retry`: asks the last question again. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";

export default {
	name: "retry",
	description: "take back the last answer and ask the same question again",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation }) {
		const store = keptStore(conversation);
		const last = store
			.listMessages(conversation.sessionId)
			.findLast(({ message }) => message.role === "user" && message.origin === undefined);
		if (last === undefined) throw new CommandRefused("Cannot ask again: nothing was asked yet");
		const text = store.rewind(conversation.sessionId, last.id) ?? last.message.content;
		conversation.reload();
		const images = last.message.role === "user" ? last.message.images : undefined;
		return { ask: text, ...(images !== undefined && { images }) };
	},
} satisfies Command;
