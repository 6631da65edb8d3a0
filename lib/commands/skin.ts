/** `/skin`: the looks of the chat. */

import { type Command, CommandRefused } from "./command.ts";

export default {
	name: "skin",
	description: "show the skins, or use one from now on, in later chats too",
	argumentsHint: "[NAME]",
	category: "configuration",
	surfaces: ["terminal"],
	whileBusy: "runs",
	async run({ conversation, skins, say }, name) {
		if (skins === undefined) throw new CommandRefused("Cannot change the looks: this chat has none");
		const names = skins.names();
		if (name === "") {
			say(names.map((one) => `${one === skins.worn ? "*" : " "} ${one}`).join("\n"));
			return undefined;
		}
		if (!names.includes(name))
			throw new CommandRefused(`Cannot use skin "${name}": there is ${names.join(", ")}, or a file of yours in skins/`);
		for (const warning of await skins.wear(name)) say(warning);
		const kept = await conversation.program(["config", "set", "display.skin", name]);
		say(kept.ok ? `Skin ${name} from now on` : `Skin ${name} in this chat; it is not kept: ${kept.text}`);
		return undefined;
	},
} satisfies Command;
