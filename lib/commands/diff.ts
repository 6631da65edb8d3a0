/** `/diff`: what has changed in the files since a checkpoint. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "diff",
	description: "what has changed in this folder since checkpoint N (1, the latest)",
	argumentsHint: "[N]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	async run({ conversation, say }, number) {
		const { backend, cwd } = conversation.place;
		const words = ["checkpoints", "diff", "--backend", backend, "--cwd", cwd, "--", number || "1"];
		const answer = await conversation.program(words);
		if (!answer.ok) throw new CommandRefused(answer.text);
		say(answer.text || "Nothing has changed");
		return undefined;
	},
} satisfies Command;
