/** `/steer`: words for the model in the middle of its turn. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "steer",
	description: "give TEXT to the model with its next tool result",
	argumentsHint: "TEXT",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ turn, say }, text) {
		if (text === "") throw new CommandRefused("Cannot steer with nothing: say /steer TEXT");
		if (turn === undefined) return { ask: text };
		say(turn.steer(text) ? "the model is told with the next tool result" : "that comes next");
		return undefined;
	},
} satisfies Command;
