/** Turns the chunks of the Gemini wire into our chunks and the whole message at the end. */

import { z } from "zod";
import type { AssistantMessage, JsonValue, TokenUsage, ToolCall } from "../../base/conversation.ts";
import { type ModelChunk, ProviderRefused } from "../provider.ts";
import { callId } from "./call-id.ts";
import { ErrorReported } from "./refusal.ts";
import { endedEarly, nothingRead, UnreadableStream } from "./unreadable-stream.ts";

const count = z.number().nullish();
const part = z
	.looseObject({
		text: z.string().optional(),
		thought: z.boolean().optional(),
		thoughtSignature: z.string().optional(),
		functionCall: z
			.looseObject({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.json()).optional() })
			.optional(),
	})
	.pipe(z.record(z.string(), z.json()));
const usage = z.object({
	promptTokenCount: count,
	candidatesTokenCount: count,
	cachedContentTokenCount: count,
	thoughtsTokenCount: count,
	toolUsePromptTokenCount: count,
});
const chunk = z.object({
	candidates: z
		.array(
			z.object({
				content: z.object({ parts: z.array(part).nullish() }).nullish(),
				finishReason: z.string().nullish(),
			}),
		)
		.nullish(),
	promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
	usageMetadata: usage.nullish(),
	error: z.unknown().optional(),
});

type Part = z.output<typeof part>;
type Chunk = z.output<typeof chunk>;

const finishReasons: Readonly<Record<string, string>> = {
	STOP: "stop",
	MAX_TOKENS: "length",
	SAFETY: "content_filter",
	RECITATION: "content_filter",
	BLOCKLIST: "content_filter",
	PROHIBITED_CONTENT: "content_filter",
	SPII: "content_filter",
	IMAGE_SAFETY: "content_filter",
};

/** Whose answer it is, and what tells its calls from those of other turns. */
export interface GeminiReading {
	readonly provider: string;
	readonly salt: string;
}

/**
 * @throws {UnreadableStream} When a chunk is not one, or the stream ends before the answer does.
 * @throws {ProviderRefused} When the question was withheld from the model.
 */
export async function* readGemini(chunks: AsyncIterable<unknown>, reading: GeminiReading): AsyncGenerator<ModelChunk> {
	const answer = collectAnswer(reading);
	for await (const raw of chunks) {
		const parsed = chunk.safeParse(raw);
		if (!parsed.success) throw new UnreadableStream("sent a part that is no answer", false, { cause: parsed.error });
		yield* answer.add(parsed.data);
	}
	yield answer.finish();
}

function collectAnswer({ provider, salt }: GeminiReading) {
	const parts: Part[] = [];
	let finishReason: string | undefined;
	let used: z.output<typeof usage> | undefined;
	let started = false;

	return {
		*add(each: Chunk): Generator<ModelChunk> {
			refuseFailure(each);
			started = true;
			used = each.usageMetadata ?? used;
			const candidate = each.candidates?.[0];
			finishReason = candidate?.finishReason ?? finishReason;
			for (const one of candidate?.content?.parts ?? []) {
				addPart(parts, one);
				yield* shown(one);
			}
		},
		finish(): ModelChunk {
			if (!started) throw new UnreadableStream(nothingRead, false);
			if (finishReason === undefined) throw new UnreadableStream(endedEarly, true);
			if (finishReason === "MALFORMED_FUNCTION_CALL") {
				throw new UnreadableStream("gave up a call of a tool that it could not write", false);
			}
			const message = messageOf(parts, { provider, salt });
			const reason = finishReasons[finishReason] ?? finishReason.toLowerCase();
			return {
				type: "finished",
				message: {
					...message,
					finishReason: reason === "stop" && message.toolCalls.length > 0 ? "tool_calls" : reason,
				},
				...(used !== undefined && { usage: tokenUsage(used) }),
			};
		},
	};
}

function refuseFailure({ error, promptFeedback }: Chunk): void {
	if (error != null) throw new ErrorReported({ error });
	const blocked = promptFeedback?.blockReason;
	if (!blocked) return;
	throw new ProviderRefused("content_blocked", `Cannot ask the model: the provider withheld the question (${blocked})`);
}

function* shown({ text, thought }: Part): Generator<ModelChunk> {
	if (typeof text === "string" && text !== "") yield { type: thought === true ? "reasoning" : "text", text };
}

/** Pieces of one text become one; a signed part is what was signed, and stays alone. */
function addPart(parts: Part[], piece: Part): void {
	const last = parts.at(-1);
	const joins = last !== undefined && isPlainText(last) && isPlainText(piece) && last.thought === piece.thought;
	if (joins) parts[parts.length - 1] = { ...last, text: `${last.text}${piece.text}` };
	else parts.push(piece);
}

function isPlainText(one: Part): boolean {
	return typeof one.text === "string" && one.thoughtSignature === undefined && one.functionCall === undefined;
}

function messageOf(parts: readonly Part[], { provider, salt }: GeminiReading): AssistantMessage {
	const texts = (thought: boolean) =>
		parts
			.flatMap((one) => (typeof one.text === "string" && (one.thought === true) === thought ? [one.text] : []))
			.join("");
	const reasoning = texts(true);
	const toolCalls = parts.flatMap((one, index) => callsIn(one.functionCall, [salt, index]));
	return {
		role: "assistant",
		content: texts(false),
		toolCalls,
		...(reasoning !== "" && { reasoning }),
		...(parts.some(({ thoughtSignature }) => thoughtSignature !== undefined) && {
			replay: { provider, geminiParts: parts.filter(({ text }) => text !== "") },
		}),
	};
}

const functionCall = z.object({
	id: z.string().optional(),
	name: z.string(),
	args: z.record(z.string(), z.json()).default({}),
});

function callsIn(value: JsonValue | undefined, salt: readonly (string | number)[]): ToolCall[] {
	const { data } = functionCall.safeParse(value);
	if (data === undefined) return [];
	const text = JSON.stringify(data.args);
	return [{ id: data.id || callId([...salt, data.name, text]), name: data.name, arguments: text }];
}

/** What was thought is not counted among the candidates here. */
function tokenUsage(counts: z.output<typeof usage>): TokenUsage {
	const cacheReadTokens = counts.cachedContentTokenCount ?? 0;
	const prompt = (counts.promptTokenCount ?? 0) + (counts.toolUsePromptTokenCount ?? 0);
	const reasoningTokens = counts.thoughtsTokenCount ?? 0;
	return {
		inputTokens: Math.max(0, prompt - cacheReadTokens),
		outputTokens: (counts.candidatesTokenCount ?? 0) + reasoningTokens,
		cacheReadTokens,
		cacheWriteTokens: 0,
		reasoningTokens,
	};
}
