/** `/compress`: sums up what was said before. */

import { attemptAsync } from "../base/attempt.ts";
import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "compress",
	description: "sum up what was said before; FOCUS is what must be kept",
	argumentsHint: "[FOCUS]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	async run({ conversation, signal, say }, focus) {
		const done = await attemptAsync(() => conversation.compress(focus === "" ? undefined : focus, signal));
		if (!done.ok) throw new CommandRefused(`Cannot shorten the session: ${done.reason}`);
		if (!done.value) say("There is nothing to shorten yet");
		return undefined;
	},
} satisfies Command;
