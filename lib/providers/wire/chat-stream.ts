/** Turns the chunks of a chat completion into our chunks and the whole message at the end. */

import type { AssistantMessage, Replay, ToolCall } from "../../base/conversation.ts";
import type { ModelChunk } from "../provider.ts";
import { type ChatChunk, type ChatDelta, chatChunk, type WireUsage } from "./chat-chunk.ts";
import { microUsd, tokenUsage } from "./chat-usage.ts";
import { createThinkingSplitter, type ThinkingPiece } from "./inline-thinking.ts";
import { collectReasoningDetails } from "./reasoning-details.ts";
import { ErrorReported } from "./refusal.ts";
import { collectToolCalls } from "./tool-call-parts.ts";
import { endedEarly, nothingRead, UnreadableStream } from "./unreadable-stream.ts";

/** Whose answer it is, and what tells its calls from those of other turns. */
export interface ChatReading {
	readonly provider: string;
	readonly salt: string;
	/** Whether `reasoning_content` has to come back as it was. */
	readonly keepsReasoning: boolean;
	/** Whether the server has said that the stream is whole; some say no other reason for the end. */
	isMarkedEnd(): boolean;
}

/**
 * @throws {UnreadableStream} When a chunk is not one, or the stream ends before the message does.
 * @throws {ErrorReported} When an error comes instead of an answer.
 */
export async function* readChat(chunks: AsyncIterable<unknown>, reading: ChatReading): AsyncGenerator<ModelChunk> {
	const message = collectMessage(reading);
	for await (const raw of chunks) {
		const parsed = chatChunk.safeParse(raw);
		if (!parsed.success)
			throw new UnreadableStream("sent a part that is no chat completion", false, { cause: parsed.error });
		if (parsed.data.error != null) throw new ErrorReported(raw);
		yield* message.add(parsed.data);
	}
	yield* message.rest();
	yield message.finish();
}

/** Whether a chunk says something: some servers send empty ones to keep the connection open. */
export function isChatPart(raw: unknown): boolean {
	const parsed = chatChunk.safeParse(raw);
	return !parsed.success || (parsed.data.choices?.length ?? 0) > 0 || parsed.data.usage != null;
}

function collectMessage({ provider, salt, keepsReasoning, isMarkedEnd }: ChatReading) {
	let text = "";
	let reasoning = "";
	let reasoningContent: string | undefined;
	let finishReason: string | undefined;
	let usage: WireUsage | undefined;
	let parts = 0;
	const written = createThinkingSplitter();
	const calls = collectToolCalls(salt);
	const details = collectReasoningDetails();

	function keep(delta: ChatDelta): void {
		if (delta.refusal) finishReason = "content_filter";
		if (keepsReasoning && delta.reasoning_content != null)
			reasoningContent = (reasoningContent ?? "") + delta.reasoning_content;
		for (const detail of delta.reasoning_details ?? []) details.add(detail);
		for (const call of delta.tool_calls ?? []) calls.add(call);
	}

	function* say(delta: ChatDelta): Generator<ModelChunk> {
		const thought = delta.reasoning_content || delta.reasoning;
		if (thought) {
			reasoning += thought;
			yield { type: "reasoning", text: thought };
		}
		const said = delta.content || delta.refusal;
		if (said) yield* tell(written.push(said));
	}

	function* tell(pieces: readonly ThinkingPiece[]): Generator<ModelChunk> {
		for (const piece of pieces) {
			if (piece.type === "text") text += piece.text;
			else reasoning += piece.text;
			yield piece;
		}
	}

	const message = (): AssistantMessage => {
		const toolCalls = calls.finish();
		const replay = replayOf({ provider, reasoningContent, details: details.finish(), toolCalls });
		return {
			role: "assistant",
			content: text,
			toolCalls,
			...(reasoning !== "" && { reasoning }),
			...(finishReason !== undefined && { finishReason }),
			...(replay !== undefined && { replay }),
		};
	};

	return {
		*add(chunk: ChatChunk): Generator<ModelChunk> {
			parts++;
			if (chunk.usage) usage = chunk.usage;
			const choice = chunk.choices?.[0];
			finishReason = choice?.finish_reason ?? finishReason;
			const delta = choice?.delta ?? choice?.message;
			if (!delta) return;
			keep(delta);
			yield* say(delta);
		},
		rest: () => tell(written.end()),
		finish(): ModelChunk {
			if (parts === 0) throw new UnreadableStream(nothingRead, false);
			const isWhole = finishReason !== undefined || usage !== undefined || isMarkedEnd();
			if (!isWhole) throw new UnreadableStream(endedEarly, true);
			const cost = usage?.cost == null ? undefined : microUsd(usage.cost);
			return {
				type: "finished",
				message: message(),
				...(usage !== undefined && { usage: tokenUsage(usage) }),
				...(cost !== undefined && { costMicroUsd: cost }),
			};
		},
	};
}

/** What has to go back to the provider, if there is any of it. */
function replayOf(parts: {
	readonly provider: string;
	readonly reasoningContent: string | undefined;
	readonly details: NonNullable<Replay["reasoningDetails"]>;
	readonly toolCalls: readonly ToolCall[];
}): Replay | undefined {
	const { provider, reasoningContent, details, toolCalls } = parts;
	const hasExtra = toolCalls.some(({ extra }) => extra !== undefined);
	if (reasoningContent === undefined && details.length === 0 && !hasExtra) return undefined;
	return {
		provider,
		...(reasoningContent !== undefined && { reasoningContent }),
		...(details.length > 0 && { reasoningDetails: details }),
	};
}
