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
	const tracks = Map.groupBy(turns, ({ track }) => track);
	const played = new Map<string, number>();
	return {
		async *complete(request, signal): AsyncGenerator<ModelChunk> {
			const { messages } = request;
			signal.throwIfAborted();
			const track = trackOf(messages, tracks.keys());
			const own = tracks.get(track) ?? [];
			const count = (played.get(track) ?? 0) + 1;
			const next = own[count - 1];
			played.set(track, count);
			if (next === undefined) {
				const which = track === "" ? "" : ` for ${JSON.stringify(track)}`;
				throw new ProviderRefused(
					"tape",
					`Cannot play "${name}": the tape ended after line ${own.at(-1)?.line ?? 0}, turn ${count}${which} is missing`,
				);
			}
			refuseMismatch(name, next, { played: count, messages });
			if (next.turn.raw === undefined) yield* chunksOf(next.turn, count);
			else yield* playRaw(next.turn.raw, { request, signal });
		},
	};
}

/** The longest of the tracks that is part of the first thing that was said; empty when none is. */
function trackOf(messages: readonly Message[], tracks: Iterable<string>): string {
	const first = messages.find(({ role }) => role === "user")?.content ?? "";
	const fitting = [...tracks].filter((track) => track !== "" && first.includes(track));
	return fitting.toSorted((one, other) => other.length - one.length)[0] ?? "";
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
