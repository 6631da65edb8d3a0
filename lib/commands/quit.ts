/** `/quit`: leaves the chat. */

import { type Command, chatSurfaces } from "./command.ts";

export default {
	name: "quit",
	aliases: ["exit"],
	description: "leave; so does Ctrl-D",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run: () => "leave",
} satisfies Command;
