/** `/new`: a new session in the same place. */

import { type Command, chatSurfaces } from "./command.ts";

export default {
	name: "new",
	aliases: ["reset", "clear"],
	description: "a new session",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation, say }) {
		conversation.startNew();
		say(`New session ${conversation.sessionId}`);
		return undefined;
	},
} satisfies Command;
