/** Our messages and tools in the shape of the Responses wire. */

import type { AssistantMessage, JsonValue, Message, ToolCall, UserMessage } from "../../base/conversation.ts";
import type { ToolDefinition } from "../provider.ts";
import { dataUrl, isJsonObject, jsonRecords, type Said, wireHistory, wireImages } from "./wire-history.ts";

/** An item of the input. */
export type Item = Readonly<Record<string, unknown>>;

/** What a conversation becomes. */
export interface ResponsesConversation {
	readonly instructions: string;
	readonly input: readonly Item[];
}

/** A copy for the wire; reasoning goes back only to the provider that made it. */
export function responsesConversation(said: Said, provider: string): ResponsesConversation {
	const history = wireHistory(said);
	const spoken = history.findIndex(({ role }) => role !== "system");
	const head = spoken < 0 ? history : history.slice(0, spoken);
	return {
		instructions: head.map(({ content }) => content.toWellFormed()).join("\n\n"),
		input:
			spoken < 0
				? []
				: history
						.slice(spoken)
						.flatMap((message) =>
							message.role === "user" ? [questionItem(message, said.images)] : items(message, provider),
						),
	};
}

/** The tools of one request. */
export function responsesTools(tools: readonly ToolDefinition[]): Item[] {
	return tools.map(({ name, description, parameters }) => ({
		type: "function",
		name,
		description,
		parameters: { ...parameters },
		strict: false,
	}));
}

function items(message: Exclude<Message, UserMessage>, provider: string): Item[] {
	switch (message.role) {
		case "assistant":
			return answerItems(message, provider);
		case "tool":
			return [{ type: "function_call_output", call_id: message.toolCallId, output: message.content.toWellFormed() }];
		case "system":
			return [{ type: "message", role: "developer", content: [textPart(message.content)] }];
	}
}

/** Images stand before what is asked about them. */
function questionItem(message: UserMessage, images: Said["images"]): Item {
	const shown = wireImages(message, images).map((image) => ({
		type: "input_image",
		image_url: dataUrl(image),
		detail: "auto",
	}));
	const isSilent = shown.length > 0 && message.content.trim() === "";
	return { type: "message", role: "user", content: [...shown, ...(isSilent ? [] : [textPart(message.content)])] };
}

function textPart(text: string): Item {
	return { type: "input_text", text: text.toWellFormed() };
}

/** An answer without an id may only be a text: `output_text` belongs to the items that the service itself has made. */
function assistantItem(text: string): Item {
	return { type: "message", role: "assistant", content: text.toWellFormed() };
}

/** The items as they came, when they are the provider's own and still hold the calls of the message. */
function answerItems(message: AssistantMessage, provider: string): Item[] {
	const { replay, content, toolCalls } = message;
	const own = replay?.provider === provider ? replay : undefined;
	const items = jsonRecords(own?.reasoningItems ?? []);
	const calls = items.filter(({ type }) => type === "function_call");
	const said = content.trim() === "" ? [] : [assistantItem(content)];
	if (calls.length > 0) return sameCalls(calls, message) ? items : [...said, ...toolCalls.map(callItem)];
	return [
		...items,
		...(items.some(({ type }) => type === "message") ? [] : messageItems(own?.messageItems, said)),
		...toolCalls.map(callItem),
	];
}

function messageItems(own: readonly JsonValue[] | undefined, said: readonly Item[]): readonly Item[] {
	return own === undefined ? said : jsonRecords(own);
}

function callItem({ id, name, arguments: text }: ToolCall): Item {
	return { type: "function_call", call_id: id, name, arguments: isJsonObject(text) ? text : "{}" };
}

function sameCalls(calls: readonly Item[], { toolCalls }: AssistantMessage): boolean {
	return calls.length === toolCalls.length && calls.every(({ call_id }, at) => toolCalls[at]?.id === call_id);
}

/**
 * An item of an answer in the form in which it may be sent back: without what only the service fills in. Nothing is stored
 * there, so that ids of messages and calls say something, and states say nothing.
 */
export function replayedItem(item: Readonly<Record<string, JsonValue>>): JsonValue {
	const { status, ...rest } = item;
	return item.type === "message" && status !== undefined ? item : rest;
}
