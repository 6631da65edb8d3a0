/** `/agents`: sub-agents, and what became of them. */

import { programCommand, wordsOf } from "./program-command.ts";

export default programCommand({
	name: "agents",
	aliases: ["tasks"],
	description: "the sub-agents, or what one of them reports",
	argumentsHint: "[ID]",
	category: "info",
	words: (argument) => ["agents", ...(argument === "" ? ["list"] : ["status", ...wordsOf(argument)])],
});
