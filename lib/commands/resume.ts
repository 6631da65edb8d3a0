/** `/resume`: goes on with another session. */

import { archiveOf } from "../store/search/archive.ts";
import { type Command, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";
import { foundSessions, offeredSessionNames } from "./found-sessions.ts";
import { pieceOf } from "./listed-session.ts";

const shownWords = 160;

export default {
	name: "resume",
	description: "go on with another session: its id, the beginning of it, or its title",
	argumentsHint: "[SESSION]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	complete: ({ conversation }) => offeredSessionNames(conversation),
	run({ conversation, say }, name) {
		const store = keptStore(conversation);
		if (name === "") {
			say(`${foundSessions(conversation, "")}\nGo on with one of them: /resume SESSION`);
			return undefined;
		}
		conversation.resume(name);
		// A reminder of where the session stands.
		const { end } = archiveOf((work) => store.read(work)).spokenEnds(conversation.sessionId, 2);
		const reminder = end.map(({ role, content }) => `  ${role}: ${pieceOf(content, shownWords)}`);
		say([`Session ${conversation.sessionId}`, ...reminder].join("\n"));
		return undefined;
	},
} satisfies Command;
