/** `/background`: a task for a sub-agent, while the chat goes on. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "background",
	aliases: ["bg"],
	description: "give TEXT to a sub-agent that works beside this chat and knows nothing of it; its report comes here",
	argumentsHint: "TEXT",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	async run({ conversation, say }, text) {
		if (text === "") throw new CommandRefused("Cannot hand out nothing: say /background TEXT");
		const id = await conversation.handOut(text);
		say(`${id} works on it; its report comes here, /agents shows how it stands`);
		return undefined;
	},
} satisfies Command;
