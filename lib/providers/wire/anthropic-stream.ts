/** Turns the events of the Anthropic wire into our chunks and the whole message at the end. */

import { z } from "zod";
import type { AssistantMessage, JsonValue, TokenUsage, ToolCall } from "../../base/conversation.ts";
import type { ModelChunk } from "../provider.ts";
import { ErrorReported } from "./refusal.ts";
import { endedEarly, nothingRead, UnreadableStream } from "./unreadable-stream.ts";
import { jsonObject } from "./wire-history.ts";

const count = z.number().nullish();
const usage = z.object({
	input_tokens: count,
	output_tokens: count,
	cache_read_input_tokens: count,
	cache_creation_input_tokens: count,
});
const block = z.object({ type: z.string() }).catchall(z.json());
const event = z.discriminatedUnion("type", [
	z.object({ type: z.literal("message_start"), message: z.object({ usage: usage.nullish() }) }),
	z.object({ type: z.literal("content_block_start"), index: z.number(), content_block: block }),
	z.object({ type: z.literal("content_block_delta"), index: z.number(), delta: z.looseObject({ type: z.string() }) }),
	z.object({
		type: z.literal("message_delta"),
		delta: z.object({ stop_reason: z.string().nullish() }),
		usage: usage.nullish(),
	}),
	z.object({ type: z.literal("message_stop") }),
	z.object({ type: z.literal("error"), error: z.unknown() }),
	// A server that does not stream sends the message itself.
	z.object({
		type: z.literal("message"),
		content: z.array(block),
		stop_reason: z.string().nullish(),
		usage: usage.nullish(),
	}),
]);

type Event = z.output<typeof event>;
type Usage = z.output<typeof usage>;

const handled: ReadonlySet<string> = new Set(event.options.map(({ shape }) => shape.type.value));
const nameOf = z.looseObject({ type: z.string() });

const finishReasons: Readonly<Record<string, string>> = {
	end_turn: "stop",
	stop_sequence: "stop",
	pause_turn: "stop",
	tool_use: "tool_calls",
	max_tokens: "length",
	model_context_window_exceeded: "length",
	refusal: "content_filter",
};

/**
 * @throws {UnreadableStream} When an event is not one, or the stream ends before the message does.
 * @throws {ErrorReported} When an error comes in the middle of the answer.
 */
export async function* readAnthropic(events: AsyncIterable<unknown>, provider: string): AsyncGenerator<ModelChunk> {
	const message = collectMessage(provider);
	for await (const raw of events) {
		const name = nameOf.safeParse(raw).data?.type;
		// The service may send kinds of events that are not known yet.
		if (name !== undefined && !handled.has(name)) continue;
		const parsed = event.safeParse(raw);
		if (!parsed.success) throw new UnreadableStream("sent an event that is not known", false, { cause: parsed.error });
		yield* message.add(parsed.data);
	}
	yield message.finish();
}

/** `ping` keeps the connection open and says nothing. */
export function isAnthropicPart(raw: unknown): boolean {
	return nameOf.safeParse(raw).data?.type !== "ping";
}

interface OpenBlock {
	readonly fields: Record<string, JsonValue>;
	/** JSON of a call's arguments, as it came. */
	json: string;
}

function collectMessage(provider: string) {
	const blocks = new Map<number, OpenBlock>();
	let used: Usage | undefined;
	let stopReason: string | undefined;
	let started = false;

	function* add(each: Event): Generator<ModelChunk> {
		started = true;
		switch (each.type) {
			case "message_start":
				used = each.message.usage ?? undefined;
				return;
			case "content_block_start":
				blocks.set(each.index, { fields: { ...each.content_block }, json: "" });
				return yield* textOf(each.content_block);
			case "content_block_delta":
				return yield* grow(blocks.get(each.index), each.delta);
			case "message_delta":
				stopReason = each.delta.stop_reason ?? stopReason;
				used = { ...used, ...withoutNothing(each.usage ?? {}) };
				return;
			case "error":
				throw new ErrorReported(each);
			case "message":
				yield* whole(each);
		}
	}

	function* whole(each: Extract<Event, { type: "message" }>): Generator<ModelChunk> {
		for (const [index, fields] of each.content.entries()) {
			const json = fields.type === "tool_use" ? JSON.stringify(fields.input ?? {}) : "";
			blocks.set(index, { fields: { ...fields }, json });
			yield* textOf(fields);
		}
		stopReason = each.stop_reason ?? "end_turn";
		used = each.usage ?? undefined;
	}

	return {
		add,
		finish(): ModelChunk {
			if (!started) throw new UnreadableStream(nothingRead, false);
			if (stopReason === undefined) throw new UnreadableStream(endedEarly, true);
			const message = messageOf([...blocks.values()].map(closed), provider);
			return {
				type: "finished",
				message: { ...message, finishReason: finishReasons[stopReason] ?? stopReason },
				...(used !== undefined && { usage: tokenUsage(used) }),
			};
		},
	};
}

function* textOf(fields: Readonly<Record<string, JsonValue>>): Generator<ModelChunk> {
	if (fields.type === "text" && fields.text) yield { type: "text", text: String(fields.text) };
	if (fields.type === "thinking" && fields.thinking) yield { type: "reasoning", text: String(fields.thinking) };
}

const growing: Readonly<Record<string, string>> = {
	text_delta: "text",
	thinking_delta: "thinking",
	signature_delta: "signature",
};

function* grow(open: OpenBlock | undefined, delta: Readonly<Record<string, unknown>>): Generator<ModelChunk> {
	if (open === undefined) throw new UnreadableStream("sent a piece of nothing", false);
	if (delta.type === "input_json_delta") {
		open.json += typeof delta.partial_json === "string" ? delta.partial_json : "";
		return;
	}
	const name = growing[String(delta.type)];
	const piece = name === undefined ? undefined : delta[name];
	if (name === undefined || typeof piece !== "string") return;
	open.fields[name] = `${open.fields[name] ?? ""}${piece}`;
	if (name === "signature" || piece === "") return;
	yield { type: name === "text" ? "text" : "reasoning", text: piece };
}

/** The block as it goes back, and the call's arguments word for word. */
function closed({ fields, json }: OpenBlock): OpenBlock {
	if (fields.type !== "tool_use") return { fields, json };
	const text = json.trim() === "" ? JSON.stringify(fields.input ?? {}) : json;
	const input: unknown = jsonObject(text) ?? {};
	return { fields: { ...fields, input: z.json().parse(input) }, json: text };
}

function messageOf(blocks: readonly OpenBlock[], provider: string): AssistantMessage {
	const joined = (type: string, field: string) =>
		blocks.flatMap(({ fields }) => (fields.type === type ? [String(fields[field] ?? "")] : [])).join("");
	const toolCalls = blocks.flatMap(({ fields, json }): ToolCall[] =>
		fields.type === "tool_use" ? [{ id: String(fields.id), name: String(fields.name), arguments: json }] : [],
	);
	const reasoning = joined("thinking", "thinking");
	return {
		role: "assistant",
		content: joined("text", "text"),
		toolCalls,
		...(reasoning !== "" && { reasoning }),
		// Words alone can be said again by anyone; only what is signed has to come back as it was.
		...(blocks.some(({ fields }) => !["text", "tool_use"].includes(String(fields.type))) && {
			replay: {
				provider,
				anthropicBlocks: blocks.map(({ fields }) => fields).filter(({ type, text }) => type !== "text" || text !== ""),
			},
		}),
	};
}

/** The last event repeats some counts, and leaves others empty. */
function withoutNothing(counts: Usage): Usage {
	return Object.fromEntries(Object.entries(counts).filter(([, value]) => value != null));
}

function tokenUsage(counts: Usage): TokenUsage {
	return {
		inputTokens: counts.input_tokens ?? 0,
		outputTokens: counts.output_tokens ?? 0,
		cacheReadTokens: counts.cache_read_input_tokens ?? 0,
		cacheWriteTokens: counts.cache_creation_input_tokens ?? 0,
		reasoningTokens: 0,
	};
}
