/** `/stop`: ends the turn that runs. */

import { type Command, chatSurfaces } from "./command.ts";

export default {
	name: "stop",
	description: "end what the model is doing; so does Ctrl-C",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ turn, say }) {
		if (turn === undefined) say("No turn runs; what works in the background goes on: /agents, /processes");
		else turn.stop();
		return undefined;
	},
} satisfies Command;
