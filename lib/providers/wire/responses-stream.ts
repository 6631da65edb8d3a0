/** Turns the events of the Responses wire into our chunks and the whole message at the end. */

import { z } from "zod";
import type { AssistantMessage, JsonValue, TokenUsage, ToolCall } from "../../base/conversation.ts";
import type { ModelChunk } from "../provider.ts";
import { ErrorReported } from "./refusal.ts";
import { replayedItem } from "./responses-input.ts";
import { endedEarly, nothingRead, UnreadableStream } from "./unreadable-stream.ts";

const count = z.number().nullish();
const item = z.object({ type: z.string() }).catchall(z.json());
const usage = z.object({
	input_tokens: count,
	output_tokens: count,
	input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish(),
	output_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
});
const response = z.object({
	status: z.string().nullish(),
	output: z.array(item).nullish(),
	usage: usage.nullish(),
	error: z.unknown().optional(),
	incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
});
const event = z.looseObject({
	type: z.string().optional(),
	object: z.string().optional(),
	delta: z.unknown().optional(),
	item: item.optional(),
	output_index: count,
	response: response.optional(),
});

type Item = z.output<typeof item>;
type Answer = z.output<typeof response>;

/**
 * @throws {UnreadableStream} When an event is not one, or the stream ends before the answer does.
 * @throws {ErrorReported} When an error comes in the middle of the answer, or the answer failed.
 */
export async function* readResponses(events: AsyncIterable<unknown>, provider: string): AsyncGenerator<ModelChunk> {
	const answer = collectAnswer(provider);
	for await (const raw of events) {
		const parsed = event.safeParse(raw);
		if (!parsed.success) throw new UnreadableStream("sent an event that is not known", false, { cause: parsed.error });
		yield* answer.add(parsed.data, raw);
	}
	yield answer.finish();
}

/** Whether an event is a part of an answer. */
export function isResponsesPart(raw: unknown): boolean {
	const type = event.safeParse(raw).data?.type;
	return type !== "keepalive" && type !== "ping";
}

const shown: Readonly<Record<string, "text" | "reasoning">> = {
	"response.output_text.delta": "text",
	"response.refusal.delta": "text",
	"response.reasoning_summary_text.delta": "reasoning",
	"response.reasoning_text.delta": "reasoning",
};

const ends: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.done"]);

function collectAnswer(provider: string) {
	const items = new Map<number, Item>();
	let last: Answer | undefined;
	let shownText = "";
	let started = false;

	function* add(each: z.output<typeof event>, raw: unknown): Generator<ModelChunk> {
		started = true;
		const { type = "" } = each;
		// A server that does not stream sends the response itself.
		if (each.object === "response") return yield* whole(response.parse(raw));
		refuseFailure(each, raw);
		if (type === "response.output_item.done" && each.item) items.set(each.output_index ?? items.size, each.item);
		if (ends.has(type)) last = each.response;
		const kind = shown[type];
		if (kind === undefined || typeof each.delta !== "string" || each.delta === "") return;
		if (kind === "text") shownText += each.delta;
		yield { type: kind, text: each.delta };
	}

	function* whole(answer: Answer): Generator<ModelChunk> {
		if (answer.status === "failed") throw new ErrorReported(answer.error);
		last = answer;
		const { content } = messageOf(answer.output ?? [], provider);
		if (content !== "") yield { type: "text", text: content };
	}

	return {
		add,
		finish(): ModelChunk {
			if (!started) throw new UnreadableStream(nothingRead, false);
			if (last === undefined) throw new UnreadableStream(endedEarly, true);
			const done = [...items].sort(([left], [right]) => left - right).map(([, each]) => each);
			// Codex leaves the list at the end empty.
			const message = messageOf(last.output?.length ? last.output : done, provider);
			const content = message.content === "" ? shownText : message.content;
			return {
				type: "finished",
				message: { ...message, content, finishReason: finishReason(last, message) },
				...(last.usage != null && { usage: tokenUsage(last.usage) }),
			};
		},
	};
}

function refuseFailure({ type, response: failed }: z.output<typeof event>, raw: unknown): void {
	if (type === "error") throw new ErrorReported(raw);
	if (type === "response.failed") throw new ErrorReported(failed?.error ?? raw);
}

function finishReason({ status, incomplete_details }: Answer, { toolCalls }: AssistantMessage): string {
	if (status === "incomplete") {
		const reason = incomplete_details?.reason ?? "";
		return reason === "content_filter" ? reason : "length";
	}
	return toolCalls.length > 0 ? "tool_calls" : "stop";
}

function messageOf(items: readonly Item[], provider: string): AssistantMessage {
	const texts = (type: string, field: string) =>
		items.flatMap((each) => (each.type === type ? textsIn(each[field]) : []));
	const reasoning = texts("reasoning", "summary").join("\n\n");
	const toolCalls = items.flatMap((each): ToolCall[] =>
		each.type === "function_call"
			? [{ id: String(each.call_id), name: String(each.name), arguments: argumentsOf(each.arguments) }]
			: [],
	);
	return {
		role: "assistant",
		content: texts("message", "content").join(""),
		toolCalls,
		...(reasoning !== "" && { reasoning }),
		...(items.length > 0 && { replay: { provider, reasoningItems: items.map(replayedItem) } }),
	};
}

function argumentsOf(value: JsonValue | undefined): string {
	return typeof value === "string" && value.trim() !== "" ? value : "{}";
}

const part = z.array(z.looseObject({ text: z.string().optional(), refusal: z.string().optional() }));

function textsIn(value: JsonValue | undefined): string[] {
	return (part.safeParse(value).data ?? []).flatMap(({ text, refusal }) => text ?? refusal ?? []);
}

function tokenUsage(counts: z.output<typeof usage>): TokenUsage {
	const cacheReadTokens = counts.input_tokens_details?.cached_tokens ?? 0;
	const cacheWriteTokens = counts.input_tokens_details?.cache_write_tokens ?? 0;
	return {
		inputTokens: Math.max(0, (counts.input_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
		outputTokens: counts.output_tokens ?? 0,
		cacheReadTokens,
		cacheWriteTokens,
		reasoningTokens: counts.output_tokens_details?.reasoning_tokens ?? 0,
	};
}
