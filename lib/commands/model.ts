/** `/model`: which model is asked. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "model",
	description: "show the model, or ask another one from now on",
	argumentsHint: "[NAME]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	run({ conversation, say }, name) {
		if (/\s/.test(name)) throw new CommandRefused("Cannot use two models: say /model NAME");
		if (name !== "") conversation.useModel(name);
		const { id, baseUrl } = conversation.provider;
		const where = baseUrl === undefined ? id : `${id}, ${baseUrl}`;
		say(name === "" ? `Model ${conversation.model} (${where})` : `Model ${name} from now on`);
		return undefined;
	},
} satisfies Command;
