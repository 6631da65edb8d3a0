/** The tool that asks the user a question. */

import { z } from "zod";
import { defineTool, toolError, toolResult } from "../registry/tool.ts";

const mostChoices = 4;

export default defineTool({
	name: "clarify",
	toolset: "clarify",
	loop: { isInteractive: true },
	description: [
		"Ask the user one question and wait for the answer, when the task can be understood in ways that lead to different work, or a decision is the user's to make.",
		"Do not ask for what you can find out, nor for permission to do what was asked.",
	].join(" "),
	args: z.object({
		question: z.string().trim().min(1).describe("One question, with what the user must know to answer it"),
		choices: z
			.array(z.string())
			.transform((choices) => choices.map((choice) => choice.trim()).filter((choice) => choice !== ""))
			.refine((choices) => choices.length <= mostChoices, `at most ${mostChoices} choices`)
			.optional()
			.describe("Answers to pick from, at most 4; the user can always answer something else"),
	}),
	scope: "agent",

	async run({ question, choices = [] }, { agent, signal }) {
		if (agent?.ask === undefined) {
			return toolError(
				"Cannot ask the user: nobody is there to answer. Choose the safest reading, and say which one you took",
			);
		}
		const answer = await agent.ask({ question, choices, signal });
		if (answer === undefined)
			return toolError("The user gave no answer. Go on without it where that is safe, else stop and say what is open");
		return toolResult({ question, choices_offered: choices.length === 0 ? null : choices, user_response: answer });
	},
});
