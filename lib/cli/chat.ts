/** `hermes chat`: a conversation at the terminal, or one question with `-q`. */

import { chatFlags } from "./conversation/flags.ts";
import { defineAction } from "./subcommand.ts";

export default defineAction({
	summary: "Talk to the agent, or ask it once with -q",
	flags: chatFlags,
	run: async ({ flags }, cli) => (await import("./conversation/run-chat.ts")).runChat(flags, cli),
});
