/** One turn: from the user's text to an answer, with one way out whatever happens. */

import { firstAborted } from "../base/abort.ts";
import type { AssistantMessage, MessageImage } from "../base/conversation.ts";
import { ProviderRefused } from "../providers/provider.ts";
import { type Activity, TurnIdle, watchActivity } from "./activity.ts";
import { type Ask, askModel } from "./ask/ask-model.ts";
import type { AnswerCounts } from "./ask/judge-answer.ts";
import { nextAnswer } from "./ask/next-answer.ts";
import { type Budget, createBudget } from "./budget.ts";
import { createFailedEdits, type FailedEdits } from "./calls/failed-edits.ts";
import { createGuardrails, type Guardrails } from "./calls/guardrails.ts";
import { runToolCalls } from "./calls/run-tool-calls.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentEvent, TurnFinished } from "./events.ts";
import { type Ending, finishTurn } from "./finish-turn.ts";
import { SpendingLimitReached } from "./spending.ts";
import { emptyTally, type Tally } from "./tally.ts";

/** What the steps of one turn share. */
export interface Turn {
	/** Aborted by the user, by too long a time in which nothing happens, and when the turn is over. */
	readonly signal: AbortSignal;
	readonly activity: Activity;
	readonly tally: Tally;
	readonly budget: Budget;
	readonly guardrails: Guardrails;
	readonly failedEdits: FailedEdits;
	readonly counts: AnswerCounts & { compressions: number; unknownTools: number };
	/** Parts of an answer that was cut, until its last part has come. */
	readonly parts: string[];
	/** What the model said beside calls that only keep its records, until it says something else. */
	saidBefore: string | undefined;
	/** Tells those who watch; counts as activity. */
	emit(event: AgentEvent): void;
}

const goOn =
	"Your answer was cut off here. Go on exactly where it ended; repeat nothing and do not say that it was cut.";
const sumUp =
	"You have used up the steps of this turn. Do not call tools. Report what you have achieved, what is still open, and how to go on.";

/** What the user says, and shows. */
export interface Question {
	readonly text: string;
	readonly images: readonly MessageImage[];
}

/** Runs one turn and emits `turn_finished`, always as its last event. */
export async function runTurn(
	conversation: Conversation,
	question: Question,
	signal: AbortSignal,
): Promise<TurnFinished> {
	const { options } = conversation;
	const over = new AbortController();
	using activity = watchActivity(options.limits?.idleMs);
	using run = firstAborted([signal, activity.signal, over.signal]);
	const turn: Turn = {
		signal: run.signal,
		activity,
		tally: emptyTally(),
		budget: options.openBudget?.() ?? createBudget(options.maxTurns),
		guardrails: createGuardrails(options.guardrails),
		failedEdits: createFailedEdits(),
		counts: {
			reminders: 0,
			thoughts: 0,
			repeats: 0,
			raises: 0,
			continuations: 0,
			withheld: 0,
			compressions: 0,
			unknownTools: 0,
		},
		parts: [],
		saidBefore: undefined,
		emit(event) {
			activity.touch();
			options.emit(event);
		},
	};
	let ending: Ending = { ended: "failed", reason: "internal" };
	try {
		ending = await converse(conversation, question, turn);
	} catch (cause) {
		ending = signal.aborted ? { ended: "interrupted" } : failed(cause);
	} finally {
		// What was abandoned must not go on for a turn that is over.
		over.abort(new Error("Cannot go on: the turn is over"));
	}
	return finishTurn(conversation, turn, ending);
}

async function converse(conversation: Conversation, { text, images }: Question, turn: Turn): Promise<Ending> {
	conversation.routes.restore();
	// Calls that an earlier process left open when it died.
	conversation.answerOpenCalls("No result: hermes ended while this call ran. What it had done until then stays");
	conversation.append({ role: "user", content: text, ...(images.length > 0 && { images }) });
	for (;;) {
		turn.signal.throwIfAborted();
		if (!turn.budget.spend()) return sumUpTurn(conversation, turn);
		const ending = await takeStep(conversation, turn);
		if (ending !== undefined) return ending;
	}
}

/** One answer and what it asks for; undefined when the turn goes on. */
async function takeStep(conversation: Conversation, turn: Turn): Promise<Ending | undefined> {
	const answer = await nextAnswer(conversation, turn);
	if (answer.is === "said_before") return { ended: "answered", text: answer.text };
	const { message } = answer;
	conversation.append(message);
	announce(turn, message, answer.is === "cut" ? { continues: true } : {});
	if (answer.is === "cut") {
		turn.counts.continuations++;
		turn.parts.push(message.content);
		conversation.append({ role: "user", content: goOn, origin: "harness" });
		return undefined;
	}
	if (message.toolCalls.length === 0) return answered(turn, message);
	turn.parts.length = 0;
	return runCalls(conversation, turn, message);
}

function say(conversation: Conversation, turn: Turn, message: AssistantMessage): void {
	conversation.append(message);
	announce(turn, message);
}

function announce(
	turn: Turn,
	{ content, toolCalls }: AssistantMessage,
	more: { readonly continues?: true } = {},
): void {
	turn.emit({ type: "assistant_message", text: content, tool_calls: toolCalls.length, ...more });
}

function answered(turn: Turn, { content, finishReason }: AssistantMessage): Ending {
	const warning = cutWarning(finishReason);
	if (warning !== undefined) turn.emit({ type: "warning", message: warning });
	return { ended: "answered", text: [...turn.parts, content].join("") };
}

function cutWarning(finishReason: string | undefined): string | undefined {
	if (finishReason === "length") return "The answer reached the model's length limit and is incomplete";
	if (finishReason === "failed") return "The provider broke the answer off, and it is incomplete";
	if (finishReason === "content_filter") return "The provider's content filter cut the answer";
	return undefined;
}

async function runCalls(
	conversation: Conversation,
	turn: Turn,
	message: AssistantMessage,
): Promise<Ending | undefined> {
	const { traitsOf } = conversation.options;
	const keepsRecords = message.toolCalls.every((call) => traitsOf?.(call)?.isHousekeeping === true);
	turn.saidBefore = keepsRecords && message.content.trim() !== "" ? message.content : undefined;
	const { stop, isFree } = await runToolCalls(conversation, message, turn);
	turn.signal.throwIfAborted();
	if (isFree) turn.budget.refund();
	if (stop === undefined) return undefined;
	say(conversation, turn, { role: "assistant", content: `I stopped here: ${stop}.`, toolCalls: [] });
	return { ended: "failed", reason: "tool_loop", error: `Stopped: ${stop}` };
}

/** One more answer in words, which is not taken from any budget; once more when it says nothing. */
async function sumUpTurn(conversation: Conversation, turn: Turn): Promise<Ending> {
	const isAsked = conversation.messages.at(-1)?.role === "user";
	if (!isAsked) conversation.append({ role: "user", content: sumUp, origin: "harness" });
	const ask: Ask = { withoutTools: true, ...(isAsked && { nudge: sumUp }) };
	const text = (await askForSummary(conversation, turn, ask)) || (await askForSummary(conversation, turn, ask));
	const content = text || `I stopped after ${turn.budget.used} steps; the task is not finished.`;
	say(conversation, turn, { role: "assistant", content, toolCalls: [] });
	return { ended: "max_turns", text: content };
}

/** Empty when the model has nothing to say, a sentence when it cannot be asked: the turn has an end without it too. */
async function askForSummary(conversation: Conversation, turn: Turn, ask: Ask): Promise<string> {
	try {
		return (await askModel(conversation, turn, ask)).content.trim();
	} catch (cause) {
		if (turn.signal.aborted || !(cause instanceof ProviderRefused || cause instanceof SpendingLimitReached))
			throw cause;
		return `I stopped after ${turn.budget.used} steps and cannot report what was done: ${cause.message}`;
	}
}

function failed(cause: unknown): Ending {
	const message = cause instanceof Error ? cause.message : String(cause);
	return { ended: "failed", error: message.replace(/\s+/g, " ").trim(), reason: reasonOf(cause) };
}

function reasonOf(cause: unknown): string {
	if (cause instanceof ProviderRefused) return cause.kind;
	if (cause instanceof SpendingLimitReached) return cause.reason;
	return cause instanceof TurnIdle ? "idle" : "internal";
}
