/** `/reasoning`: how much the model thinks before it answers. */

import type { ReasoningEffort } from "../providers/provider.ts";
import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

const efforts: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

export default {
	name: "reasoning",
	aliases: ["effort"],
	description: `how much the model thinks from now on: ${efforts.join(", ")}`,
	argumentsHint: "[EFFORT]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	complete: () => efforts.map((value) => ({ value })),
	run({ conversation, say }, typed) {
		const effort = efforts.find((one) => one === typed.toLowerCase());
		if (typed !== "" && effort === undefined)
			throw new CommandRefused(`Cannot think "${typed}": there is ${efforts.join(", ")}`);
		if (effort !== undefined) conversation.useEffort(effort);
		say(`Effort ${conversation.effort || "as the model has it"}${effort === undefined ? "" : " from now on"}`);
		return undefined;
	},
} satisfies Command;
