/** `/verbose`: how much is shown of what tools do. */

import { type Command, CommandRefused, chatSurfaces, progressModes } from "./command.ts";

const meanings: Readonly<Record<(typeof progressModes)[number], string>> = {
	off: "calls of tools are not shown",
	new: "a call is shown when it is of another tool than the one before",
	all: "every call is shown, with the end of what it says",
	verbose: "every call is shown, with all of its arguments and output",
};

export default {
	name: "verbose",
	description: `what is shown of calls of tools: ${progressModes.join(", ")}; the next of these without a word`,
	argumentsHint: "[MODE]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	complete: () => progressModes.map((value) => ({ value, description: meanings[value] })),
	run({ progress, say }, typed) {
		if (progress === undefined) throw new CommandRefused("Cannot change that here: calls of tools are not shown");
		const next = progressModes[(progressModes.indexOf(progress.mode) + 1) % progressModes.length];
		const wanted = typed === "" ? next : progressModes.find((mode) => mode === typed.toLowerCase());
		if (wanted === undefined) throw new CommandRefused(`Cannot show "${typed}": there is ${progressModes.join(", ")}`);
		progress.mode = wanted;
		say(`${wanted}: ${meanings[wanted]} (display.tool_progress is for every chat)`);
		return undefined;
	},
} satisfies Command;
