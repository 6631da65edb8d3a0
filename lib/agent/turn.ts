/** One turn: from the user's text to an answer, with one way out whatever happens. */

import { callModel } from "./call-model.ts";
import type { Conversation } from "./conversation.ts";
import type { TurnFinished } from "./events.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { noUsage, type Tally } from "./tally.ts";

/** What the steps of one turn share. */
export interface Turn {
	readonly signal: AbortSignal;
	readonly tally: Tally;
}

interface Ending {
	readonly ended: TurnFinished["ended"];
	readonly text?: string;
	readonly error?: string;
}

/** Runs one turn and emits `turn_finished`, always as its last event. */
export async function runTurn(conversation: Conversation, text: string, signal: AbortSignal): Promise<TurnFinished> {
	const turn: Turn = { signal, tally: { modelCalls: 0, deniedCalls: 0, usage: noUsage } };
	let ending: Ending;
	try {
		ending = await converse(conversation, text, turn);
	} catch (cause) {
		ending = signal.aborted ? { ended: "interrupted" } : failed(cause);
	}
	return finish(conversation, ending, turn.tally);
}

async function converse(conversation: Conversation, text: string, turn: Turn): Promise<Ending> {
	const { maxTurns, emit } = conversation.options;
	// Calls that an earlier process left open when it died.
	conversation.answerOpenCalls("No result: hermes ended while this call ran. What it had done until then stays");
	conversation.append({ role: "user", content: text });
	while (turn.tally.modelCalls < maxTurns) {
		turn.signal.throwIfAborted();
		const message = await callModel(conversation, turn);
		if (message.toolCalls.length === 0) {
			const warning = cutWarning(message.finishReason);
			if (warning !== undefined) emit({ type: "warning", message: warning });
			return { ended: "answered", text: message.content };
		}
		await runToolCalls(conversation, message, turn);
	}
	turn.signal.throwIfAborted();
	return { ended: "max_turns" };
}

function cutWarning(finishReason: string | undefined): string | undefined {
	if (finishReason === "length") return "The answer reached the model's length limit and is incomplete";
	if (finishReason === "content_filter") return "The provider's content filter cut the answer";
	return undefined;
}

function finish(conversation: Conversation, ending: Ending, tally: Tally): TurnFinished {
	const { sessionId, emit } = conversation.options;
	const { ended, text = "", error } = closeCalls(conversation, ending);
	const event: TurnFinished = {
		type: "turn_finished",
		session_id: sessionId,
		ended,
		text,
		...(error === undefined ? {} : { error }),
		model_calls: tally.modelCalls,
		denied_calls: tally.deniedCalls,
		usage: tally.usage,
	};
	emit(event);
	return event;
}

function closeCalls(conversation: Conversation, ending: Ending): Ending {
	try {
		const who = ending.ended === "interrupted" ? "the user interrupted the turn" : "the turn ended";
		conversation.answerOpenCalls(`Not run: ${who} before this call began`);
		return ending;
	} catch (cause) {
		return ending.error === undefined ? failed(cause) : ending;
	}
}

function failed(cause: unknown): Ending {
	const message = cause instanceof Error ? cause.message : String(cause);
	return { ended: "failed", error: message.replace(/\s+/g, " ").trim() };
}
