/** Our messages and tools in the shape of the chat-completions wire. */

import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { AssistantMessage, Message } from "../../base/conversation.ts";
import type { ToolDefinition } from "../provider.ts";

/** A copy for the wire: the conversation itself is never changed. */
export function wireMessages(messages: readonly Message[]): ChatCompletionMessageParam[] {
	return mergeUserMessages(messages).map(wireMessage);
}

/** The tools of one request. */
export function wireTools(tools: readonly ToolDefinition[]): ChatCompletionTool[] {
	return tools.map(({ name, description, parameters }) => ({
		type: "function",
		function: { name, description, parameters: { ...parameters } },
	}));
}

/** A turn that failed before its answer leaves two user messages in a row, which some servers refuse. */
function mergeUserMessages(messages: readonly Message[]): Message[] {
	const merged: Message[] = [];
	for (const message of messages) {
		const last = merged.at(-1);
		if (message.role === "user" && last?.role === "user") {
			merged[merged.length - 1] = { role: "user", content: `${last.content}\n\n${message.content}` };
		} else {
			merged.push(message);
		}
	}
	return merged;
}

function wireMessage(message: Message): ChatCompletionMessageParam {
	switch (message.role) {
		case "system":
		case "user":
			return { role: message.role, content: message.content.toWellFormed() };
		case "tool":
			return { role: "tool", tool_call_id: message.toolCallId, content: message.content.toWellFormed() };
		case "assistant":
			return wireAssistant(message);
	}
}

function wireAssistant({ content, toolCalls }: AssistantMessage): ChatCompletionMessageParam {
	if (toolCalls.length === 0) return { role: "assistant", content: content.toWellFormed() };
	return {
		role: "assistant",
		content: content === "" ? null : content.toWellFormed(),
		tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
			id,
			type: "function",
			function: { name, arguments: isJsonObject(text) ? text : "{}" },
		})),
	};
}

/** Servers parse the arguments of past calls, and a call that was cut off would make them refuse the whole conversation (#15236). */
function isJsonObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}
