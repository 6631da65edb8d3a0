/** `/branch`: a copy of the session to go on in. */

import { createSessionId } from "../store/session-id.ts";
import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";

export default {
	name: "branch",
	aliases: ["fork"],
	description: "go on in a copy of this session; this one stays as it is",
	argumentsHint: "[TITLE]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation, say }, wanted) {
		const store = keptStore(conversation);
		const origin = store.getSession(conversation.sessionId);
		if (origin === undefined || origin.messageCount === 0)
			throw new CommandRefused("Cannot branch: nothing was said yet");
		const id = createSessionId();
		store.branchSession(origin.id, { id });
		const title = wanted || (origin.title === null ? "" : store.nextTitle(origin.title));
		const named = title === "" ? undefined : store.setTitle(id, title);
		conversation.resume(id);
		if (named?.ok === false) say(named.reason);
		say(`Session ${id} goes on from ${origin.id}; /resume ${origin.id} goes back`);
		return undefined;
	},
} satisfies Command;
