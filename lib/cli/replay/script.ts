/** What is played again: the questions, the model's answers as a tape, and what the tools answered then. */

import type { AssistantMessage, Message, MessageImage } from "../../base/conversation.ts";
import { readTape as readTurns } from "../../providers/cassette/tape.ts";
import type { Tape } from "../../providers/provider.ts";

/** What the user said and showed. */
export interface ReplayedQuestion {
	readonly text: string;
	readonly images: readonly MessageImage[];
}

/** A conversation to run again. */
export interface ReplayScript {
	readonly tape: Tape;
	/** Answers of the model on the tape. */
	readonly turns: number;
	/** What the user said; where nobody knows it, the tape is played to its end without it. */
	readonly questions: readonly ReplayedQuestion[] | undefined;
	/** Results by the id of their call; an id may stand for several calls, in order. */
	readonly results: ReadonlyMap<string, readonly string[]>;
}

/** The script of a kept session; a question that was never answered is left out. */
export function sessionScript(name: string, messages: readonly Message[]): ReplayScript {
	const answers = messages.filter((message) => message.role === "assistant");
	const questions = messages.flatMap((message, index) => {
		if (message.role !== "user" || message.origin !== undefined) return [];
		const next = messages.slice(index + 1).find(({ role }) => role !== "tool");
		return next?.role === "assistant" ? [{ text: message.content, images: message.images ?? [] }] : [];
	});
	const results = new Map<string, string[]>();
	for (const message of messages) {
		if (message.role !== "tool") continue;
		results.set(message.toolCallId, [...(results.get(message.toolCallId) ?? []), message.content]);
	}
	return {
		tape: { name, text: answers.map(tapeLine).join("\n"), values: {} },
		turns: answers.length,
		questions,
		results,
	};
}

/** @throws {ProviderRefused} When the tape cannot be read. */
export function tapeScript(tape: Tape): ReplayScript {
	return { tape, turns: readTurns(tape).length, questions: undefined, results: new Map() };
}

function tapeLine({ content, toolCalls, reasoning, finishReason }: AssistantMessage): string {
	return JSON.stringify({
		verbatim: true,
		text: content,
		...(reasoning !== undefined && { reasoning }),
		tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
		...(finishReason !== undefined && { finish_reason: finishReason }),
	});
}
