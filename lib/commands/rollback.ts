/** `/rollback`: files as they were before a turn changed them. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { wordsOf } from "./program-command.ts";

export default {
	name: "rollback",
	description: "the checkpoints of this folder, or the files as they were at checkpoint N",
	argumentsHint: "[N [PATH]]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	async run({ conversation, say }, argument) {
		const { backend, cwd } = conversation.place;
		const where = ["--backend", backend, "--cwd", cwd];
		const [number, ...paths] = wordsOf(argument);
		const verb = number === undefined ? ["list"] : ["restore"];
		const operands = number === undefined ? [] : ["--", number, ...paths];
		const answer = await conversation.program(["checkpoints", ...verb, ...where, ...operands]);
		if (!answer.ok) throw new CommandRefused(answer.text);
		say(number === undefined ? `${answer.text}\nGo back to one of them: /rollback N` : answer.text);
		return undefined;
	},
} satisfies Command;
