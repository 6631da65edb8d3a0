/** How many tokens something has, about: four characters each, which is near enough to decide when a conversation is too long. */

import type { Message } from "../../base/conversation.ts";
import type { ToolDefinition } from "../../providers/provider.ts";

const charactersPerToken = 4;
/** Roles, ids and separators of one message. */
const perMessage = 10;
/** What providers count for an image of a usual size; they make larger ones smaller. */
const perImage = 1_600;

/** Tokens of a text. */
export function textTokens(text: string): number {
	return Math.ceil(text.length / charactersPerToken);
}

/** Tokens of one message. Reasoning that is kept for its provider is counted: it is sent again. */
export function messageTokens(message: Message): number {
	const images = message.role === "user" ? (message.images?.length ?? 0) : 0;
	const said = perMessage + textTokens(message.content) + images * perImage;
	if (message.role !== "assistant") return said;
	const calls = message.toolCalls.map((call) => textTokens(call.name) + textTokens(call.arguments));
	const replay = message.replay === undefined ? 0 : textTokens(JSON.stringify(message.replay));
	// A replay holds the text and the calls once more.
	return Math.max(said + sum(calls), perMessage + replay);
}

/** Tokens of several. */
export function messagesTokens(messages: readonly Message[]): number {
	return sum(messages.map(messageTokens));
}

/** Tokens of what is sent before any message. */
export function fixedTokens(systemPrompt: string, tools: readonly ToolDefinition[]): number {
	return textTokens(systemPrompt) + textTokens(JSON.stringify(tools));
}

/** All of them together. */
export function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, one) => total + one, 0);
}
