/** Our messages and tools in the shape of the chat-completions wire. */

import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { AssistantMessage, Message, ToolCall, UserMessage } from "../../base/conversation.ts";
import type { ToolDefinition } from "../provider.ts";
import { breakpoints, promptParts } from "./cache-breakpoints.ts";
import type { ChatQuirks } from "./chat-quirks.ts";
import { dataUrl, isJsonObject, isRecord, type Said, wireHistory, wireImages } from "./wire-history.ts";

/** For whom the messages are. */
export interface ChatAudience {
	readonly provider: string;
	readonly model: string;
	readonly quirks: ChatQuirks;
	readonly cacheTtl?: "5m" | "1h";
}

/** A message of the wire; services know more fields than the SDK. */
type WireMessage = ChatCompletionMessageParam & Readonly<Record<string, unknown>>;

/** A copy for the wire: the conversation itself is never changed. */
export function wireMessages(said: Said, audience: ChatAudience): ChatCompletionMessageParam[] {
	const { messages, images } = said;
	const plain = wireHistory(said).map((message) =>
		message.role === "user" ? wireQuestion(message, images) : wireMessage(message, audience),
	);
	// Last of all: a mark must stand on the very bytes that the next request will begin with.
	if (audience.quirks.marksCache?.(audience.model) !== true) return plain;
	const prompt = messages.findLast((message) => message.role === "system");
	return withMarks(plain, { parts: prompt === undefined ? [] : promptParts(prompt), ttl: audience.cacheTtl });
}

/** The tools of one request. */
export function wireTools(tools: readonly ToolDefinition[]): ChatCompletionTool[] {
	return tools.map(({ name, description, parameters }) => ({
		type: "function",
		function: { name, description, parameters: { ...parameters } },
	}));
}

/** Images stand before what is asked about them. */
function wireQuestion(message: UserMessage, images: Said["images"]): WireMessage {
	const shown = wireImages(message, images).map((image) => ({
		type: "image_url" as const,
		image_url: { url: dataUrl(image), detail: "auto" as const },
	}));
	const text = message.content.toWellFormed();
	if (shown.length === 0) return { role: "user", content: text };
	return { role: "user", content: [...shown, ...(text.trim() === "" ? [] : [{ type: "text" as const, text }])] };
}

function wireMessage(message: Exclude<Message, UserMessage>, audience: ChatAudience): WireMessage {
	switch (message.role) {
		case "system": {
			const role = audience.quirks.developerRole?.(audience.model) === true ? "developer" : "system";
			return { role, content: message.content.toWellFormed() };
		}
		case "tool":
			return { role: "tool", tool_call_id: message.toolCallId, content: message.content.toWellFormed() };
		case "assistant":
			return wireAssistant(message, audience);
	}
}

function wireAssistant(message: AssistantMessage, audience: ChatAudience): WireMessage {
	const { content, toolCalls, replay } = message;
	const own = replay?.provider === audience.provider ? replay : undefined;
	const details = own?.reasoningDetails;
	return {
		role: "assistant",
		content: content === "" && toolCalls.length > 0 ? null : content.toWellFormed(),
		...reasoningContent(message, audience),
		...(details !== undefined && { reasoning_details: details }),
		...(toolCalls.length > 0 && { tool_calls: toolCalls.map((call) => wireCall(call, own !== undefined)) }),
	};
}

function wireCall({ id, name, arguments: text, extra }: ToolCall, isOwn: boolean) {
	return {
		id,
		type: "function" as const,
		function: { name, arguments: isJsonObject(text) ? text : "{}" },
		...(isOwn && extra !== undefined && { extra_content: extra }),
	};
}

/** What another provider thought is none of this one's business: a blank stands for it where the field must be there. */
function reasoningContent(
	{ replay, toolCalls }: AssistantMessage,
	{ provider, model, quirks }: ChatAudience,
): { readonly reasoning_content?: string } {
	if (quirks.echoesReasoning?.(model) !== true) return {};
	const own = replay?.provider === provider ? replay.reasoningContent : undefined;
	if (own) return { reasoning_content: own };
	return toolCalls.length > 0 || own !== undefined ? { reasoning_content: " " } : {};
}

/** A text becomes one block with the mark, the prompt one for each of its parts; results of tools take none on this wire. */
function withMarks(
	messages: readonly WireMessage[],
	{ parts, ttl = "5m" }: { readonly parts: readonly string[]; readonly ttl?: "5m" | "1h" | undefined },
): WireMessage[] {
	const control = { type: "ephemeral", ...(ttl === "1h" && { ttl }) };
	const block = (text: string) => ({ type: "text", text: text.toWellFormed(), cache_control: control });
	const system = messages.findLastIndex(({ role }) => role === "system" || role === "developer");
	const places = breakpoints(
		messages.map(({ role, content }) => ({
			markable: (role === "user" || role === "assistant") && lastText(content) !== undefined,
			user: role === "user",
		})),
		Math.max(1, parts.length),
	);
	return messages.map((message, index) => {
		if (index === system) return Object.assign({}, message, { content: parts.map(block) });
		const text = places.includes(index) ? lastText(message.content) : undefined;
		if (text === undefined) return message;
		const before = Array.isArray(message.content) ? message.content.slice(0, -1) : [];
		return Object.assign({}, message, { content: [...before, block(text)] });
	});
}

/** The text that a message is, or ends with behind its images; undefined where there is none. */
function lastText(content: unknown): string | undefined {
	const part: unknown = Array.isArray(content) ? content.at(-1) : undefined;
	const text = isRecord(part) ? part.text : content;
	return typeof text === "string" && text.trim() !== "" ? text : undefined;
}
