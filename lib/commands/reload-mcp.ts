/** `/reload-mcp`: the servers as the settings name them now. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "reload-mcp",
	description: "look at your MCP servers anew; the model has their tools from the next question on",
	category: "tools",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	async run({ conversation, say }) {
		// A conversation reads the settings before each turn by itself; what the user wants to know is what that will bring.
		const { text, ok } = await conversation.program(["mcp", "list"]);
		if (!ok) throw new CommandRefused(text);
		say(text);
		return undefined;
	},
} satisfies Command;
