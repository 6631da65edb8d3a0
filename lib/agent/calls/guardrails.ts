/** Notices a model that does the same over and over: tells it, and ends the turn when the user wants that. */

import type { ToolCall } from "../../base/conversation.ts";
import type { CallTraits, ToolOutcome } from "../agent.ts";

/** How often something may happen. */
export interface RepeatLimits {
	/** The same call fails. */
	readonly exactFailure: number;
	/** Calls of one tool fail. */
	readonly sameToolFailure: number;
	/** The same call that only reads gives the same answer. */
	readonly sameAnswer: number;
}

/** Without `stopAt` the model is only told. */
export interface GuardrailSettings {
	readonly warnAt?: RepeatLimits;
	readonly stopAt?: RepeatLimits;
}

/** When a model is told, if nothing else is set. */
const defaultWarnings: RepeatLimits = { exactFailure: 2, sameToolFailure: 3, sameAnswer: 2 };

/** What comes of a call besides its answer. */
export interface Judgement {
	/** For the model. */
	readonly note?: string;
	/** Why the turn ends now. */
	readonly stop?: string;
}

/** Counts the calls of one turn. */
export interface Guardrails {
	after(call: ToolCall, traits: CallTraits, outcome: ToolOutcome): Judgement;
}

/** Nothing has been called yet. */
export function createGuardrails({ warnAt, stopAt }: GuardrailSettings = { warnAt: defaultWarnings }): Guardrails {
	const failures = createCounter();
	const failuresOfTool = createCounter();
	const answers = createCounter();
	return {
		after(call, { readOnly }, outcome) {
			const key = `${call.name}\n${sorted(call.arguments)}`;
			if (!failed(outcome)) {
				failures.clear(key);
				failuresOfTool.clear(call.name);
				if (!readOnly) return {};
				const count = answers.add(`${key}\n${Bun.hash(outcome.answer)}`);
				return judge({ count, warn: warnAt?.sameAnswer, stop: stopAt?.sameAnswer }, sameAnswer(call.name));
			}
			const exact = judge(
				{ count: failures.add(key), warn: warnAt?.exactFailure, stop: stopAt?.exactFailure },
				exactFailure(call.name),
			);
			const ofTool = judge(
				{ count: failuresOfTool.add(call.name), warn: warnAt?.sameToolFailure, stop: stopAt?.sameToolFailure },
				toolFailure(call.name),
			);
			return { ...ofTool, ...exact };
		},
	};
}

function judge(
	{ count, warn, stop }: { count: number; warn: number | undefined; stop: number | undefined },
	text: (count: number) => { readonly note: string; readonly stop: string },
): Judgement {
	const { note, stop: why } = text(count);
	return {
		...(warn !== undefined && count >= warn && { note }),
		...(stop !== undefined && count >= stop && { stop: why }),
	};
}

const exactFailure = (name: string) => (count: number) => ({
	note: `This very call of ${name} has failed ${count} times. Do not send it again; find out why it fails, or do it in another way`,
	stop: `the model made the same call of "${name}" ${count} times, and it failed each time`,
});

const toolFailure = (name: string) => (count: number) => ({
	note: `${count} calls of ${name} in a row have failed. Look at what they have in common before you call it again`,
	stop: `${count} calls of "${name}" in a row failed`,
});

const sameAnswer = (name: string) => (count: number) => ({
	note: `This call of ${name} has given the same answer ${count} times. Use the answer that you have`,
	stop: `the model made the same call of "${name}" ${count} times and got the same answer each time`,
});

/** A command that failed is an answer like any other; only its code says so. */
function failed({ answer, isError, denied }: ToolOutcome): boolean {
	return isError || denied || /(?<!\\)"exit_code":(?!0\b)-?\d/.test(answer);
}

/** Keys of arguments come in any order. */
function sorted(text: string): string {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return text;
		return JSON.stringify(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
	} catch {
		return text;
	}
}

function createCounter() {
	const counts = new Map<string, number>();
	return {
		add(key: string): number {
			const count = (counts.get(key) ?? 0) + 1;
			counts.set(key, count);
			return count;
		},
		clear: (key: string) => counts.delete(key),
	};
}
