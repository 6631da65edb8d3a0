/** What makes a conversation one that a model accepts: every call has its answer, and nobody speaks twice in a row. */

import type { AssistantMessage, Message } from "../base/conversation.ts";

/** A sentence for everything that is wrong with `messages`; none when a provider can be given them. */
export function historyProblems(messages: readonly Message[]): readonly string[] {
	const problems: string[] = [];
	let open: string[] = [];
	messages.forEach((message, index) => {
		const before = messages[index - 1];
		if (message.role === "tool") {
			const expected = open.shift();
			if (expected !== message.toolCallId) {
				problems.push(`${index}: an answer to "${message.toolCallId}" where one to "${expected ?? "nothing"}" belongs`);
			}
			return;
		}
		if (open.length > 0) problems.push(`${index}: ${message.role} speaks before ${open.join(", ")} is answered`);
		open = message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [];
		const problem = speakerProblem(message, before);
		if (problem !== undefined) problems.push(`${index}: ${problem}`);
	});
	if (open.length > 0) problems.push(`${messages.length}: no answer to ${open.join(", ")}`);
	return problems;
}

function speakerProblem(message: Message, before: Message | undefined): string | undefined {
	if (message.role === "system") return before === undefined ? undefined : "a system message in the middle";
	if (message.role === "assistant") return assistantProblem(message, before);
	// A turn that failed before anything was answered leaves two messages of the user, which is as it was.
	const isHarness = message.role === "user" && message.origin === "harness";
	return isHarness && before?.role === "user" ? "the loop speaks after the user" : undefined;
}

function assistantProblem({ content, toolCalls }: AssistantMessage, before: Message | undefined): string | undefined {
	if (before === undefined || before.role === "system") return "the model speaks first";
	if (before.role === "assistant") return "the model speaks twice in a row";
	if (new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length) return "two calls with the same id";
	return toolCalls.length === 0 && content.trim() === "" ? "an answer that says nothing" : undefined;
}
