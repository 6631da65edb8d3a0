/** `/queue`: words for the turn after this one. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "queue",
	aliases: ["q"],
	description: "say TEXT when the model is done",
	argumentsHint: "TEXT",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ turn, say }, text) {
		if (text === "") throw new CommandRefused("Cannot keep nothing for later: say /queue TEXT");
		if (turn === undefined) return { ask: text };
		turn.queue(text);
		say("that comes next");
		return undefined;
	},
} satisfies Command;
