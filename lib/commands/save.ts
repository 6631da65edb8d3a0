/** `/save`: the session as a file to read. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";

export default {
	name: "save",
	description: "write this session into a file: .md (default), .html or .jsonl by its ending",
	argumentsHint: "[FILE]",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	async run({ conversation, say }, argument) {
		keptStore(conversation);
		const file = argument === "" ? `hermes-${conversation.sessionId}.md` : argument;
		const format = formatOf(file);
		const words = [
			"sessions",
			"export",
			conversation.sessionId,
			"-o",
			file,
			...(format === undefined ? [] : ["-f", format]),
		];
		const answer = await conversation.program(words);
		if (!answer.ok) throw new CommandRefused(answer.text);
		say(`Wrote ${file}`);
		return undefined;
	},
} satisfies Command;

/** The usual form of an export has no name. */
function formatOf(file: string): string | undefined {
	if (file.endsWith(".jsonl")) return undefined;
	return file.endsWith(".html") ? "html" : "markdown";
}
