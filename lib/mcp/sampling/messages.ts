/** The messages of a sampling request in our own shape, and a model's answer in that of the protocol. */

import type {
	CreateMessageRequestParams,
	CreateMessageResultWithTools,
	SamplingMessage,
	SamplingMessageContentBlock,
} from "@modelcontextprotocol/sdk/types.js";
import { attempt } from "../../base/attempt.ts";
import type { AssistantMessage, Message, ToolCall } from "../../base/conversation.ts";

/** The request holds something that a model cannot be given. */
export class NotPassable extends Error {
	override readonly name = "NotPassable";
}

/** The system prompt is first. @throws {NotPassable} For pictures and sound, and for results of calls that nobody made. */
export function messagesOf({ messages, systemPrompt }: CreateMessageRequestParams): readonly Message[] {
	const calls = new Map<string, string>();
	const system: Message[] = systemPrompt ? [{ role: "system", content: systemPrompt }] : [];
	return [...system, ...messages.flatMap((message) => messageOf(message, calls))];
}

/** How often the model has called tools in what was said so far. */
export function roundsIn({ messages }: CreateMessageRequestParams): number {
	return messages.filter((message) => blocksOf(message).some(({ type }) => type === "tool_use")).length;
}

/** What a person reads before they agree. */
export function shownText({ messages, systemPrompt }: CreateMessageRequestParams): string {
	const said = messages.map((message) => `${message.role}: ${blocksOf(message).map(shownBlock).join(" ")}`);
	return [...(systemPrompt ? [`system: ${systemPrompt}`] : []), ...said].join("\n");
}

function shownBlock(block: SamplingMessageContentBlock): string {
	if (block.type === "text") return block.text;
	return block.type === "tool_use" ? `[calls ${block.name}]` : `[${block.type}]`;
}

function blocksOf({ content }: SamplingMessage): readonly SamplingMessageContentBlock[] {
	return Array.isArray(content) ? content : [content];
}

function messageOf(message: SamplingMessage, calls: Map<string, string>): readonly Message[] {
	const blocks = blocksOf(message);
	const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	const unknown = blocks.find(({ type }) => type === "image" || type === "audio");
	if (unknown !== undefined)
		throw new NotPassable(`a message holds ${unknown.type}, which cannot be passed on; send text`);
	if (message.role === "assistant") {
		const toolCalls = blocks.flatMap((block) => (block.type === "tool_use" ? [callOf(block)] : []));
		for (const { id, name } of toolCalls) calls.set(id, name);
		return [{ role: "assistant", content: text, toolCalls }];
	}
	const results = blocks.flatMap((block) => (block.type === "tool_result" ? [resultOf(block, calls)] : []));
	// Results belong right behind their calls, whatever stands beside them.
	return [...results, ...(text === "" && results.length > 0 ? [] : [{ role: "user" as const, content: text }])];
}

function callOf({ id, name, input }: Extract<SamplingMessageContentBlock, { type: "tool_use" }>): ToolCall {
	return { id, name, arguments: JSON.stringify(input) };
}

function resultOf(
	block: Extract<SamplingMessageContentBlock, { type: "tool_result" }>,
	calls: ReadonlyMap<string, string>,
): Message {
	const toolName = calls.get(block.toolUseId);
	if (toolName === undefined) throw new NotPassable(`there is a result of "${block.toolUseId}", which nobody called`);
	const texts = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
	const structured = block.structuredContent === undefined ? [] : [JSON.stringify(block.structuredContent)];
	const text = texts.length > 0 ? texts.join("\n") : structured.join("");
	const content = JSON.stringify(block.isError === true ? { error: text } : { result: text });
	return { role: "tool", toolCallId: block.toolUseId, toolName, content };
}

const stopReasons: Readonly<Record<string, string>> = { stop: "endTurn", length: "maxTokens", tool_calls: "toolUse" };

/** `withTools`: the request brought tools, so that the answer may call them. */
export function resultFrom(
	{ content, toolCalls, finishReason = "stop" }: AssistantMessage,
	{ model, stops = [], withTools }: { model: string; stops?: readonly string[] | undefined; withTools: boolean },
): CreateMessageResultWithTools {
	const at = Math.min(...stops.map((stop) => content.indexOf(stop)).filter((found) => found >= 0));
	const isStopped = Number.isFinite(at);
	const text = { type: "text" as const, text: isStopped ? content.slice(0, at) : content };
	const uses = withTools && !isStopped ? toolCalls.map(useOf) : [];
	const stopReason = isStopped ? "stopSequence" : (stopReasons[finishReason] ?? finishReason);
	const common = { model, role: "assistant" as const };
	if (uses.length === 0)
		return { ...common, stopReason: stopReason === "toolUse" ? "endTurn" : stopReason, content: text };
	return { ...common, stopReason: "toolUse", content: content === "" ? uses : [text, ...uses] };
}

function useOf({ id, name, arguments: written }: ToolCall) {
	const parsed = attempt((): unknown => JSON.parse(written || "{}"));
	const isObject =
		parsed.ok && typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
	// What the model wrote wrong is the server's to judge.
	const input = isObject ? { ...(parsed.value as object) } : { _raw: written };
	return { type: "tool_use" as const, id, name, input };
}
