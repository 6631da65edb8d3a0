/** `/sessions`: the sessions that one may go on with. */

import { type Command, chatSurfaces } from "./command.ts";
import { foundSessions } from "./found-sessions.ts";

export default {
	name: "sessions",
	description: "the latest sessions, or those in which WORDS were said",
	argumentsHint: "[WORDS]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, say }, words) {
		say(foundSessions(conversation, words));
		return undefined;
	},
} satisfies Command;
