/** Plays model turns from a cassette: the tools really run, only the model's side is read from the tape. */

import type { AssistantMessage, Message } from "../../base/conversation.ts";
import { defineProvider, type ModelChunk, type ModelClient, ProviderRefused } from "../provider.ts";
import { lastToolResults, unmet } from "./expectation.ts";
import { playRaw } from "./play-raw.ts";
import { readTape, type TapedTurn, type Turn } from "./tape.ts";

export default defineProvider({
	id: "cassette",
	aliases: [],
	description: "Plays recorded model turns from a file, without any network",
	keyNames: [],
	defaultModel: "cassette",

	async open({ tape }) {
		if (tape === undefined) {
			throw new ProviderRefused("settings", "Cannot use provider cassette: no cassette was given; name its file");
		}
		return playTape(tape.name, readTape(tape));
	},
});

function playTape(name: string, turns: readonly Turn[]): ModelClient {
	let played = 0;
	return {
		async *complete(request, signal): AsyncGenerator<ModelChunk> {
			const { messages } = request;
			signal.throwIfAborted();
			const next = turns[played];
			played++;
			if (next === undefined) {
				throw new ProviderRefused(
					"tape",
					`Cannot play "${name}": the tape ended after line ${turns.at(-1)?.line ?? 0}, turn ${played} is missing`,
				);
			}
			refuseMismatch(name, next, { played, messages });
			if (next.turn.raw === undefined) yield* chunksOf(next.turn, played);
			else yield* playRaw(next.turn.raw, { request, signal });
		},
	};
}

function refuseMismatch(
	name: string,
	{ line, expectations }: Turn,
	at: { played: number; messages: readonly Message[] },
): void {
	const state = unmet(expectations, lastToolResults(at.messages));
	if (state !== undefined)
		throw new ProviderRefused("tape", `Cannot play "${name}": line ${line}, turn ${at.played}: ${state}`);
}

function* chunksOf(turn: TapedTurn, played: number): Generator<ModelChunk> {
	if (turn.reasoning !== undefined) yield { type: "reasoning", text: turn.reasoning };
	if (turn.text !== "") yield { type: "text", text: turn.text };
	yield { type: "finished", message: messageOf(turn, played), ...usageOf(turn) };
}

function messageOf(turn: TapedTurn, played: number): AssistantMessage {
	return {
		role: "assistant",
		content: turn.text,
		toolCalls: turn.tool_calls.map(({ id, name, arguments: given }, index) => ({
			id: id ?? `call_${played}_${index + 1}`,
			name,
			arguments: typeof given === "string" ? given : JSON.stringify(given),
		})),
		...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
		finishReason: turn.finish_reason ?? (turn.tool_calls.length > 0 ? "tool_calls" : "stop"),
	};
}

function usageOf({ usage }: TapedTurn) {
	if (usage === undefined) return {};
	return {
		usage: {
			inputTokens: usage.input_tokens,
			outputTokens: usage.output_tokens,
			cacheReadTokens: usage.cache_read_tokens,
			cacheWriteTokens: usage.cache_write_tokens,
			reasoningTokens: usage.reasoning_tokens,
		},
	};
}
