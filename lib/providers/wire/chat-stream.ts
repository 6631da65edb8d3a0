/** Turns the chunks of a chat completion into our chunks and the whole message at the end. */

import type { AssistantMessage, TokenUsage } from "../../base/conversation.ts";
import type { ModelChunk } from "../provider.ts";
import { type ChatChunk, chatChunk, type WireUsage } from "./chat-chunk.ts";
import { collectToolCalls } from "./tool-call-parts.ts";

/** The stream came to an end, or had a part, from which no message can be made; the text completes "…: it …". */
export class UnreadableStream extends Error {
	override readonly name = "UnreadableStream";
	/** True when the connection ended early: what came until then was well-formed. */
	readonly brokenOff: boolean;

	constructor(message: string, brokenOff: boolean, options?: ErrorOptions) {
		super(message, options);
		this.brokenOff = brokenOff;
	}
}

/** @throws {UnreadableStream} When a chunk is not one, or the stream ends before the message does. */
export async function* readChat(chunks: AsyncIterable<unknown>): AsyncGenerator<ModelChunk> {
	const message = collectMessage();
	for await (const raw of chunks) {
		const parsed = chatChunk.safeParse(raw);
		if (!parsed.success)
			throw new UnreadableStream("sent a part that is no chat completion", false, { cause: parsed.error });
		yield* message.add(parsed.data);
	}
	yield message.finish();
}

function collectMessage() {
	let text = "";
	let reasoning = "";
	let finishReason: string | undefined;
	let usage: TokenUsage | undefined;
	let parts = 0;
	const calls = collectToolCalls();

	return {
		*add(chunk: ChatChunk): Generator<ModelChunk> {
			parts++;
			if (chunk.usage) usage = tokenUsage(chunk.usage);
			const choice = chunk.choices?.[0];
			const delta = choice?.delta ?? choice?.message;
			finishReason = choice?.finish_reason ?? finishReason;
			const thought = delta?.reasoning_content || delta?.reasoning;
			if (thought) {
				reasoning += thought;
				yield { type: "reasoning", text: thought };
			}
			if (delta?.content) {
				text += delta.content;
				yield { type: "text", text: delta.content };
			}
			for (const call of delta?.tool_calls ?? []) calls.add(call);
		},
		finish(): ModelChunk {
			if (parts === 0) throw new UnreadableStream("sent no answer that can be read", false);
			if (finishReason === undefined && usage === undefined) {
				throw new UnreadableStream("ended the stream in the middle of its answer", true);
			}
			const message: AssistantMessage = {
				role: "assistant",
				content: text,
				toolCalls: calls.finish(),
				...(reasoning === "" ? {} : { reasoning }),
				...(finishReason === undefined ? {} : { finishReason }),
			};
			return { type: "finished", message, ...(usage === undefined ? {} : { usage }) };
		},
	};
}

function tokenUsage(usage: WireUsage): TokenUsage {
	return {
		inputTokens: usage.prompt_tokens ?? 0,
		outputTokens: usage.completion_tokens ?? 0,
		cacheReadTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
		cacheWriteTokens: 0,
		reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
	};
}
