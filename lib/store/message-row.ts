/** One message as a row of `messages`, and back: what a provider wants to see again comes back letter for letter. */

import { z } from "zod";
import { attempt } from "../base/attempt.ts";
import type { JsonValue, Message, MessageImage, Replay, ToolCall, UserMessage } from "../base/conversation.ts";
import { isUnspaced } from "./unspaced.ts";

/** The columns that are read; other programs read them too, so their shapes are those of the chat-completions wire. */
export interface MessageRow {
	readonly id: number;
	readonly session_id: string;
	readonly role: string;
	readonly content: string | null;
	readonly tool_call_id: string | null;
	readonly tool_calls: string | null;
	readonly tool_name: string | null;
	readonly timestamp: number;
	readonly finish_reason: string | null;
	readonly reasoning: string | null;
	readonly reasoning_content: string | null;
	readonly reasoning_details: string | null;
	readonly codex_reasoning_items: string | null;
	readonly codex_message_items: string | null;
	readonly extra: string | null;
}

/** A row whose JSON cannot be used. The row stays as it is; `check()` lists it. */
export class UnreadableRow extends Error {
	override readonly name = "UnreadableRow";
}

// What came out of JSON.parse is JSON; a check that copies it would reorder nothing but cost time.
const json = z.custom<JsonValue>(() => true);
const list = z.array(json);
const callColumn = z.array(
	z.object({
		id: z.string(),
		function: z.object({ name: z.string(), arguments: z.string() }),
		extra_content: json.optional(),
	}),
);
const imageShape = z.object({
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
	mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
	bytes: z.number(),
	width: z.number(),
	height: z.number(),
	name: z.string().optional(),
});
const extraColumn = z.object({
	provider: z.string().optional(),
	anthropicBlocks: list.optional(),
	geminiParts: list.optional(),
	origin: z.enum(["harness", "summary"]).optional(),
	images: z.array(imageShape).optional(),
});

/** The columns of `message`, under the names of the parameters of the INSERT. */
export function columnsOf(message: Message) {
	const assistant = message.role === "assistant" ? message : undefined;
	const tool = message.role === "tool" ? message : undefined;
	const replay = assistant?.replay;
	const toolCalls = assistant === undefined || assistant.toolCalls.length === 0 ? null : callsText(assistant.toolCalls);
	return {
		role: message.role,
		content: message.content,
		toolCallId: tool?.toolCallId ?? null,
		toolName: tool?.toolName ?? null,
		toolCalls,
		finishReason: assistant?.finishReason ?? null,
		reasoning: assistant?.reasoning ?? null,
		reasoningContent: replay?.reasoningContent ?? null,
		reasoningDetails: textOf(replay?.reasoningDetails),
		reasoningItems: textOf(replay?.reasoningItems),
		messageItems: textOf(replay?.messageItems),
		extra: extraText(message),
		unspaced: isUnspaced(message.content, toolCalls) ? 1 : 0,
	};
}

/**
 * The message of `row`; undefined for a role that we do not know. Without its replay when that cannot be read.
 * @throws {UnreadableRow} When the tool calls cannot be read: without them their answers belong to nothing.
 */
export function messageOf(row: MessageRow): Message | undefined {
	const content = row.content ?? "";
	switch (row.role) {
		case "system":
			return { role: "system", content };
		case "user": {
			const { origin, images } = readable(() => parse(row, "extra", extraColumn)) ?? {};
			return {
				role: "user",
				content,
				...(images !== undefined && { images: images.map(imageOf) }),
				...(origin !== undefined && { origin }),
			};
		}
		case "tool":
			return { role: "tool", toolCallId: row.tool_call_id ?? "", toolName: row.tool_name ?? "", content };
		case "assistant": {
			const replay = readable(() => replayOf(row));
			return {
				role: "assistant",
				content,
				toolCalls: callsOf(row),
				...(row.reasoning !== null && { reasoning: row.reasoning }),
				...(row.finish_reason !== null && { finishReason: row.finish_reason }),
				...(replay !== undefined && { replay }),
			};
		}
		default:
			return undefined;
	}
}

/** The images of a message of the user, out of its column `extra`; none when that cannot be read. */
export function imagesIn(extra: string | null): readonly MessageImage[] {
	const read = attempt(() => extraColumn.parse(JSON.parse(extra ?? "{}")));
	return read.ok ? (read.value.images ?? []).map(imageOf) : [];
}

/** What is wrong with the JSON in `row`, a sentence a column. */
export function damageOf(row: MessageRow): string[] {
	const checks = [
		() => parse(row, "tool_calls", callColumn),
		() => parse(row, "extra", extraColumn),
		() => parse(row, "reasoning_details", list),
		() => parse(row, "codex_reasoning_items", list),
		() => parse(row, "codex_message_items", list),
	];
	return checks.flatMap((check) => {
		try {
			check();
			return [];
		} catch (cause) {
			if (cause instanceof UnreadableRow) return [cause.message];
			throw cause;
		}
	});
}

function readable<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (cause) {
		if (cause instanceof UnreadableRow) return undefined;
		throw cause;
	}
}

function textOf(value: readonly JsonValue[] | undefined): string | null {
	return value === undefined ? null : JSON.stringify(value);
}

function extraText(message: Message): string | null {
	if (message.role === "user") return extraOfQuestion(message);
	if (message.role !== "assistant" || message.replay === undefined) return null;
	const { provider, anthropicBlocks, geminiParts } = message.replay;
	return JSON.stringify({ provider, anthropicBlocks, geminiParts });
}

/** An image is its description; the bytes are a file of the home. */
function extraOfQuestion({ origin, images }: UserMessage): string | null {
	return origin === undefined && images === undefined ? null : JSON.stringify({ origin, images });
}

function imageOf({ name, ...image }: z.output<typeof imageShape>): MessageImage {
	return { ...image, ...(name !== undefined && { name }) };
}

function callsText(calls: readonly ToolCall[]): string {
	return JSON.stringify(
		calls.map(({ id, name, arguments: text, extra }) => ({
			id,
			type: "function",
			function: { name, arguments: text },
			extra_content: extra,
		})),
	);
}

function callsOf(row: MessageRow): readonly ToolCall[] {
	return (parse(row, "tool_calls", callColumn) ?? []).map(
		({ id, function: { name, arguments: text }, extra_content }) => ({
			id,
			name,
			arguments: text,
			...(extra_content !== undefined && { extra: extra_content }),
		}),
	);
}

/** Nothing is replayed when it is not known to whom: another provider must never get it. */
function replayOf(row: MessageRow): Replay | undefined {
	const { provider, anthropicBlocks, geminiParts } = parse(row, "extra", extraColumn) ?? {};
	if (provider === undefined) return undefined;
	const reasoningDetails = parse(row, "reasoning_details", list);
	const reasoningItems = parse(row, "codex_reasoning_items", list);
	const messageItems = parse(row, "codex_message_items", list);
	return {
		provider,
		...(row.reasoning_content !== null && { reasoningContent: row.reasoning_content }),
		...(reasoningDetails !== undefined && { reasoningDetails }),
		...(reasoningItems !== undefined && { reasoningItems }),
		...(messageItems !== undefined && { messageItems }),
		...(anthropicBlocks !== undefined && { anthropicBlocks }),
		...(geminiParts !== undefined && { geminiParts }),
	};
}

type JsonColumn = "tool_calls" | "extra" | "reasoning_details" | "codex_reasoning_items" | "codex_message_items";

function parse<T>(row: MessageRow, column: JsonColumn, shape: z.ZodType<T>): T | undefined {
	const text = row[column];
	if (text === null) return undefined;
	try {
		return shape.parse(JSON.parse(text));
	} catch (cause) {
		throw new UnreadableRow(`Cannot read ${column} of message ${row.id}: it is not what was written`, { cause });
	}
}
