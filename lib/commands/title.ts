/** `/title`: what the session is called. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";

export default {
	name: "title",
	description: "show the title of this session, or give it one",
	argumentsHint: "[TITLE]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation, say }, wanted) {
		const store = keptStore(conversation);
		const { sessionId } = conversation;
		if (wanted === "") {
			const title = store.getSession(sessionId)?.title;
			say(title == null ? "This session has no title yet: /title TITLE" : `Title ${title}`);
			return undefined;
		}
		const title = store.setTitle(sessionId, wanted);
		if (!title.ok) throw new CommandRefused(title.reason);
		say(`Title ${title.value}`);
		return undefined;
	},
} satisfies Command;
