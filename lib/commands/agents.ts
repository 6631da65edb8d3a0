/** `/agents`: sub-agents, and what became of them. */

import { programCommand, wordsOf } from "./program-command.ts";

/** What may stand before an ID, as behind `hermes agents`; taking changes over is for the agent, which knows what it has read. */
const verbs = ["list", "status", "cancel", "pause", "resume"];

export default programCommand({
	name: "agents",
	aliases: ["tasks"],
	description: "the sub-agents, what one of them reports, or its end",
	argumentsHint: "[ID | cancel ID]",
	category: "info",
	words(argument) {
		const [first = "list", ...rest] = wordsOf(argument);
		return ["agents", ...(verbs.includes(first) ? [first] : ["status", first]), ...rest];
	},
});
