/** A look back at the conversation, beside it, for what belongs into the notes: nobody sees it and nothing of it is kept. */

import { type AgentOptions, createAgent, type RunTool } from "../../agent/agent.ts";
import { attempt } from "../../base/attempt.ts";
import { reviewPrompt } from "../../memory/review-prompt.ts";
import { toolError } from "../../registry/tool.ts";

/** Model calls that one review may make. */
const mostSteps = 16;

/** The one tool that works in a review. */
const notesTool = "memory";

/**
 * Runs a copy of the conversation with the same prompt and tools, so that the provider's cache serves it, but lets it change
 * notes only; `conversation.store` is told what it costs. Gives what was done with them on one line, or undefined when nothing was.
 */
export async function reviewNotes(
	conversation: AgentOptions,
	runTool: RunTool,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { compress: _compress, ...options } = conversation;
	const done: string[] = [];
	const reviewer = createAgent({
		...options,
		// The list as it is now: the getter of the conversation would give another one after a change of settings.
		tools: conversation.tools,
		maxTurns: mostSteps,
		emit: () => {},
		async runTool(call, run) {
			if (call.name !== notesTool) {
				const answer = toolError(`Cannot use ${call.name}: in a review only ${notesTool} works`);
				return { answer, isError: true, denied: true, durationMs: 0 };
			}
			const outcome = await runTool(call, run);
			const action = actionOf(call.arguments);
			if (!outcome.isError && !outcome.denied && action !== "list") done.push(action);
			return outcome;
		},
	});
	await reviewer.runTurn(reviewPrompt, signal);
	return done.length === 0 ? undefined : `Noted for later sessions: ${summary(done)}`;
}

function actionOf(json: string): string {
	const parsed = attempt((): unknown => JSON.parse(json));
	const action = parsed.ok && typeof parsed.value === "object" ? Object.entries(parsed.value ?? {}) : [];
	return String(action.find(([name]) => name === "action")?.[1] ?? "");
}

/** `2 added, 1 replaced`. */
function summary(actions: readonly string[]): string {
	const words: Readonly<Record<string, string>> = { add: "added", replace: "replaced", remove: "removed" };
	return Object.entries(words)
		.map(([action, word]) => ({ word, count: actions.filter((one) => one === action).length }))
		.filter(({ count }) => count > 0)
		.map(({ word, count }) => `${count} ${word}`)
		.join(", ");
}
