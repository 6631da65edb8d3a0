/** A history that every model accepts, from one that a crash or another program left. */

import type { AssistantMessage, Message, ToolMessage } from "../../base/conversation.ts";
import { toolError } from "../../registry/tool.ts";

/**
 * `messages` with one answer behind each tool call, in the order of the calls: a missing one says that it was lost, a second one
 * and one without a call are left out. Calls of the very last message are left open when nothing follows them: the agent
 * answers those itself, and stores that. Nothing is changed in the store.
 */
export function answeredCalls(messages: readonly Message[]): readonly Message[] {
	const repaired: Message[] = [];
	for (let at = 0; at < messages.length; ) {
		const message = messages[at];
		at++;
		if (message === undefined || message.role === "tool") continue;
		repaired.push(message);
		if (message.role !== "assistant" || message.toolCalls.length === 0) continue;
		const answers: ToolMessage[] = [];
		for (let next = messages[at]; next?.role === "tool"; next = messages[at]) {
			answers.push(next);
			at++;
		}
		repaired.push(...answersTo(message, answers, at === messages.length));
	}
	return repaired;
}

function answersTo(
	{ toolCalls }: AssistantMessage,
	answers: readonly ToolMessage[],
	isLast: boolean,
): readonly ToolMessage[] {
	return toolCalls.flatMap(({ id, name }) => {
		const answer = answers.find(({ toolCallId }) => toolCallId === id);
		if (answer !== undefined) return [answer];
		const content = toolError("No result: it was lost when hermes ended. What the call had done until then stays");
		return isLast ? [] : [{ role: "tool" as const, toolCallId: id, toolName: name, content }];
	});
}
