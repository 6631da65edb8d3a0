/** `/yolo`: whether calls run without a question. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

const answers: Readonly<Record<string, boolean>> = { on: true, off: false };

/** Without a word nothing changes: `/y` is the beginning of this name, and no answer to anything. */
export default {
	name: "yolo",
	description: "run every call without asking: on or off, for this run of hermes",
	argumentsHint: "[on|off]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	complete: () => Object.keys(answers).map((value) => ({ value })),
	run({ conversation: { consent }, say }, typed) {
		const wanted = answers[typed.toLowerCase()];
		if (typed !== "" && wanted === undefined)
			throw new CommandRefused("Cannot understand that: say /yolo on or /yolo off");
		if (wanted === true && consent.refusal !== undefined)
			throw new CommandRefused(`Cannot run calls without asking: ${consent.refusal}`);
		if (wanted !== undefined) consent.set(wanted);
		const state = consent.isUnasked
			? "YOLO: calls run without asking you, those of sub-agents too; /yolo off ends that"
			: "Dangerous calls are asked about; /yolo on runs them without asking";
		say(state);
		return undefined;
	},
} satisfies Command;
