/** The messages of one conversation: kept in order, written as they happen, and always a history that a model accepts. */

import type { AssistantMessage, Message, ToolCall } from "../base/conversation.ts";
import { toolError } from "../registry/tool.ts";
import type { AgentOptions } from "./agent.ts";

/** One conversation while its agent lives. */
export interface Conversation {
	readonly options: AgentOptions;
	readonly messages: readonly Message[];
	/** Adds a message and writes it to the store before it returns. */
	append(message: Message): void;
	/** Gives every tool call without a result one that says why: a model refuses a history with open calls. */
	answerOpenCalls(reason: string): void;
}

/** Begins with `options.history`. */
export function openConversation(options: AgentOptions): Conversation {
	const messages: Message[] = [...(options.history ?? [])];
	const append = (message: Message) => {
		// In memory first: the history stays valid even when the store fails.
		messages.push(message);
		options.store?.appendMessage(options.sessionId, message);
	};
	return {
		options,
		messages,
		append,
		answerOpenCalls(reason) {
			for (const { id, name } of openCalls(messages)) {
				append({ role: "tool", toolCallId: id, toolName: name, content: toolError(reason) });
			}
		},
	};
}

function openCalls(messages: readonly Message[]): readonly ToolCall[] {
	const index = messages.findLastIndex(({ role }) => role !== "tool");
	const last = messages[index];
	if (last?.role !== "assistant") return [];
	const answered = messages
		.slice(index + 1)
		.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
	return last.toolCalls.filter(({ id }) => !answered.includes(id));
}

/** The text of a message when it says something at all. */
export function isEmpty({ content, toolCalls }: AssistantMessage): boolean {
	return toolCalls.length === 0 && content.trim() === "";
}
