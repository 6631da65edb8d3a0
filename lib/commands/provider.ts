/** `/provider`: who answers, and who else could. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "provider",
	description: "who answers and which keys there are, or ask another provider from now on",
	argumentsHint: "[NAME]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	async run({ conversation, say }, name) {
		if (/\s/.test(name)) throw new CommandRefused("Cannot ask two providers: say /provider NAME");
		if (name !== "") await conversation.useProvider(name, undefined);
		const { id, baseUrl } = conversation.provider;
		const now = `Provider ${id}${baseUrl === undefined ? "" : ` (${baseUrl})`}, model ${conversation.model}`;
		if (name !== "") {
			say(`${now} from now on`);
			return undefined;
		}
		const { text } = await conversation.program(["auth", "list"]);
		say(`${now}\n${text}`);
		return undefined;
	},
} satisfies Command;
