/** `hermes agent-run`, or the executable under the name `hermes-agent`: one question from a script. */

import { defineAction } from "../subcommand.ts";
import { agentRunFlags } from "./flags.ts";

export default defineAction({
	summary: "Ask once from a script; hermes-agent is short for it",
	details: [
		"Standard output has the final answer and nothing else.",
		"Exits 0 with a final answer, 1 without one, 2 for wrong usage, 130 when interrupted.",
		"A call that nobody can approve is denied, and the answer is what the model makes of it; --yolo runs every call.",
	].join("\n"),
	operands: "[QUERY]",
	flags: agentRunFlags,
	run: async (typed, cli) => (await import("./run-agent.ts")).runAgent(typed, cli),
});
