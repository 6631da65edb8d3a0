/** `/fast`: faster answers of the same model, for more money. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

const answers: Readonly<Record<string, boolean>> = { on: true, off: false };

export default {
	name: "fast",
	description:
		"faster answers for more money, where the provider offers them: on or off (agent.service_tier is for every chat)",
	argumentsHint: "[on|off]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	complete: () => Object.keys(answers).map((value) => ({ value })),
	run({ conversation: { speed }, say }, typed) {
		const wanted = answers[typed.toLowerCase()];
		if (typed !== "" && wanted === undefined)
			throw new CommandRefused("Cannot understand that: say /fast on or /fast off");
		if (wanted === true && speed.refusal !== undefined)
			throw new CommandRefused(`Cannot ask for faster answers: ${speed.refusal}`);
		if (wanted !== undefined) speed.set(wanted);
		if (speed.isFast && speed.refusal !== undefined) say(`Fast answers are wanted, but ${speed.refusal}`);
		else
			say(
				speed.isFast
					? "Fast: answers cost more than hermes counts; /fast off ends that"
					: "Answers come at the usual speed and price",
			);
		return undefined;
	},
} satisfies Command;
