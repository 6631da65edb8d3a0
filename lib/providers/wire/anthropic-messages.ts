/** Our messages and tools in the shape of the Anthropic wire. */

import type { AssistantMessage, JsonValue, Message, ToolMessage, UserMessage } from "../../base/conversation.ts";
import type { ToolDefinition } from "../provider.ts";
import { breakpoints, promptParts } from "./cache-breakpoints.ts";
import { isRecord, jsonObject, type Said, wireHistory, wireImages, withHead } from "./wire-history.ts";

/** A block of a message; a mark of the cache may stand on it. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message of the wire. */
export interface AnthropicMessage {
	readonly role: "user" | "assistant";
	readonly content: readonly Block[];
}

/** What a conversation becomes. */
export interface AnthropicConversation {
	readonly system: readonly Block[];
	readonly messages: readonly AnthropicMessage[];
}

/** For whom, and how long marked parts are kept. */
export interface AnthropicAudience {
	readonly provider: string;
	/** Undefined for a service without such a cache. */
	readonly cacheTtl: "5m" | "1h" | undefined;
}

/** A copy for the wire, with the marks of the cache laid last. */
export function anthropicConversation(said: Said, { provider, cacheTtl }: AnthropicAudience): AnthropicConversation {
	const { head, rest } = withHead(wireHistory(said));
	const keepsApart = cacheTtl !== undefined;
	const plain = {
		system: head.flatMap((message) => systemTexts(message, keepsApart).flatMap(textBlocks)),
		messages: mergeRoles(
			rest.map((message) =>
				message.role === "user" ? wireQuestion(message, said.images) : wireMessage(message, provider),
			),
		),
	};
	if (cacheTtl === undefined) return plain;
	const [first] = head;
	const hasStable = first?.role === "system" && promptParts(first).length > 1;
	return withMarks(plain, { ttl: cacheTtl, hasStable });
}

function systemTexts(message: Message, keepsApart: boolean): readonly string[] {
	return message.role === "system" && keepsApart ? promptParts(message) : [message.content];
}

/** The tools of one request. */
export function anthropicTools(tools: readonly ToolDefinition[]) {
	return tools.map(({ name, description, parameters }) => ({
		name,
		description,
		input_schema: { ...parameters, type: "object" as const },
	}));
}

function textBlocks(text: string): Block[] {
	// The service refuses a text without anything in it.
	return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

/** Images stand before what is asked about them. */
function wireQuestion(message: UserMessage, images: Said["images"]): AnthropicMessage {
	const shown = wireImages(message, images).map(({ mediaType, data }) => ({
		type: "image",
		source: { type: "base64", media_type: mediaType, data },
	}));
	return { role: "user", content: [...shown, ...textBlocks(message.content)] };
}

function wireMessage(message: Exclude<Message, UserMessage>, provider: string): AnthropicMessage {
	switch (message.role) {
		case "assistant":
			return { role: "assistant", content: assistantBlocks(message, provider) };
		case "tool":
			return { role: "user", content: [resultBlock(message)] };
		default:
			return { role: "user", content: textBlocks(message.content) };
	}
}

function resultBlock({ toolCallId, content }: ToolMessage): Block {
	return { type: "tool_result", tool_use_id: wireId(toolCallId), content: content.toWellFormed() };
}

/** Ids of other services may have characters that this one refuses. */
function wireId(id: string): string {
	return id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** The blocks as they came, when they are the service's own and still say what the message says. */
function assistantBlocks(message: AssistantMessage, provider: string): Block[] {
	const { replay, content, toolCalls } = message;
	const blocks = replay?.provider === provider ? replay.anthropicBlocks : undefined;
	const own = blocks?.filter(isBlock);
	if (own !== undefined && own.length === blocks?.length && sameCalls(own, message)) return own;
	return [
		...textBlocks(content),
		...toolCalls.map(({ id, name, arguments: text }) => ({
			type: "tool_use",
			id: wireId(id),
			name,
			input: jsonObject(text) ?? {},
		})),
	];
}

function isBlock(value: JsonValue): value is JsonValue & Block {
	return isRecord(value) && typeof value.type === "string";
}

function sameCalls(blocks: readonly Block[], { toolCalls }: AssistantMessage): boolean {
	const uses = blocks.filter(({ type }) => type === "tool_use");
	return (
		uses.length === toolCalls.length &&
		uses.every(({ id, name }, at) => toolCalls[at]?.id === id && toolCalls[at]?.name === name)
	);
}

/** Results of one batch and what the user says after them are one message here. */
function mergeRoles(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
	const merged: AnthropicMessage[] = [];
	for (const message of messages) {
		const last = merged.at(-1);
		if (message.content.length === 0) continue;
		if (last?.role === message.role) {
			merged[merged.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
		} else {
			merged.push(message);
		}
	}
	return merged;
}

/** `hasStable`: the first block of the system prompt is what other conversations begin with too. */
function withMarks(
	{ system, messages }: AnthropicConversation,
	{ ttl, hasStable }: { readonly ttl: "5m" | "1h"; readonly hasStable: boolean },
): AnthropicConversation {
	const control = { type: "ephemeral", ...(ttl === "1h" && { ttl }) };
	const places = breakpoints(
		messages.map(({ role, content }) => ({
			markable: markable(content) >= 0,
			user: role === "user" && content.some(({ type }) => type === "text" || type === "image"),
		})),
		hasStable ? 2 : 1,
	);
	const whole = marked(system, system.length - 1, control);
	return {
		system: hasStable ? marked(whole, 0, control) : whole,
		messages: messages.map((message, index) =>
			places.includes(index)
				? { ...message, content: marked(message.content, markable(message.content), control) }
				: message,
		),
	};
}

/** The last block that takes a mark; thinking takes none. */
function markable(content: readonly Block[]): number {
	return content.findLastIndex(({ type }) => ["text", "image", "tool_use", "tool_result"].includes(type));
}

function marked(blocks: readonly Block[], at: number, control: object): Block[] {
	return blocks.map((block, index) => (index === at ? { ...block, cache_control: control } : block));
}
