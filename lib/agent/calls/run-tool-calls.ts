/** Runs the tool calls of one model message and answers each of them, in the order in which the model wrote them. */

import { firstAborted } from "../../base/abort.ts";
import type { AssistantMessage } from "../../base/conversation.ts";
import type { ToolOutcome } from "../agent.ts";
import type { Conversation } from "../conversation.ts";
import { steered, withoutMarks } from "../steer.ts";
import type { Turn } from "../turn.ts";
import { groupCalls } from "./call-groups.ts";
import { knownTools } from "./known-tools.ts";
import { isRepeated } from "./repair-calls.ts";
import { type PendingCall, runCall } from "./run-call.ts";

const mostAtOnce = 8;
const mostUnknown = 3;

/** What came of all calls of a message. */
export interface CallsRun {
	/** Why the turn must end now. */
	readonly stop?: string;
	/** Everything that was called does not count as a step. */
	readonly isFree: boolean;
}

/** Stops at an interrupt; calls that have not begun then are left open. */
export async function runToolCalls(
	conversation: Conversation,
	message: AssistantMessage,
	turn: Turn,
): Promise<CallsRun> {
	const wasCut = message.finishReason === "length";
	const { toolCalls } = message;
	const pending = toolCalls.map((call) => ({
		call,
		wasCut,
		isRepeated: isRepeated(call, toolCalls),
		traits: conversation.options.traitsOf?.(call) ?? {},
	}));
	const last = pending.at(-1);
	let stop: string | undefined;
	for (const group of groupCalls(pending)) {
		if (turn.signal.aborted) break;
		await runGroup(conversation, group, {
			turn,
			answered(call, outcome) {
				stop ??= answerCall(conversation, { call, outcome, isLast: call === last }, turn);
			},
		});
	}
	stop ??= countUnknown(conversation, message, turn);
	return { ...(stop !== undefined && { stop }), isFree: pending.every(({ traits }) => traits.isFreeStep === true) };
}

/** A model that keeps calling what is not there has lost its way. */
function countUnknown(conversation: Conversation, { toolCalls }: AssistantMessage, turn: Turn): string | undefined {
	const known = knownTools(conversation);
	const unknown = toolCalls.find(({ name }) => !known.has(name));
	if (unknown === undefined) return undefined;
	turn.counts.unknownTools++;
	return turn.counts.unknownTools < mostUnknown
		? undefined
		: `the model called tools that do not exist ${turn.counts.unknownTools} times, "${unknown.name}" last`;
}

interface GroupRun {
	readonly turn: Turn;
	/** Told of each call that has ended, in call order. */
	answered(call: PendingCall, outcome: ToolOutcome): void;
}

async function runGroup(
	conversation: Conversation,
	group: readonly PendingCall[],
	{ turn, answered }: GroupRun,
): Promise<void> {
	const failed = new AbortController();
	using run = firstAborted([turn.signal, failed.signal]);
	const { signal } = run;
	const outcomes = group.map(() => Promise.withResolvers<ToolOutcome | undefined>());
	let next = 0;
	const work = async () => {
		for (let index = next++; index < group.length; index = next++) {
			const pending = group[index];
			const outcome =
				pending === undefined || signal.aborted ? undefined : await runCall(conversation, pending, { turn, signal });
			outcomes[index]?.resolve(outcome);
		}
	};
	const { parallelCalls = mostAtOnce } = conversation.options.limits ?? {};
	const workers = Promise.all(Array.from({ length: Math.min(group.length, parallelCalls) }, work));
	try {
		for (const [index, call] of group.entries()) {
			const outcome = await outcomes[index]?.promise;
			if (outcome === undefined) return;
			answered(call, outcome);
		}
	} catch (cause) {
		// A conversation that cannot be written must not go on doing things.
		failed.abort(cause);
		throw cause;
	} finally {
		await workers;
	}
}

/** Writes the answer; says why the turn must end, if it must. */
function answerCall(
	conversation: Conversation,
	{ call: pending, outcome, isLast }: { call: PendingCall; outcome: ToolOutcome; isLast: boolean },
	turn: Turn,
): string | undefined {
	const { call, traits } = pending;
	if (!pending.isRepeated) turn.failedEdits.after(traits, outcome);
	const { note, stop } = turn.guardrails.after(call, traits, outcome);
	const answer = withoutMarks(note === undefined ? outcome.answer : noted(outcome.answer, note));
	const steer = isLast ? conversation.steering.take() : undefined;
	const content = steer === undefined ? answer : steered(answer, steer);
	if (outcome.denied) turn.tally.deniedCalls++;
	conversation.append({ role: "tool", toolCallId: call.id, toolName: call.name, content });
	if (steer !== undefined) turn.emit({ type: "steer", text: steer });
	return stop;
}

/** Answers are JSON objects, and stay that. */
function noted(answer: string, note: string): string {
	if (!answer.endsWith("}")) return answer;
	const separator = /^\{\s*\}$/.test(answer) ? "" : ",";
	return `${answer.slice(0, -1)}${separator}"note_on_repetition":${JSON.stringify(note)}}`;
}
