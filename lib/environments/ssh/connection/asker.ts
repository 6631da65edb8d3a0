/** Asks the user on behalf of one sandbox, which may log in more than once. */

import type { OpenContext, UserQuestion } from "../../backend.ts";

/** Questions, and the answers that may be used again. */
export interface Asker {
	readonly canAsk: boolean;
	/** Whether anything was asked so far: a login that needs a person cannot be repeated at will. */
	readonly hasAsked: boolean;
	/** How long this has been waiting for a person, in all. A time limit must not count it. */
	readonly waitedMs: number;
	readonly isWaiting: boolean;
	/** The answer; a passphrase or password given before is used again unless `isFresh`. */
	ask(question: UserQuestion, options: { readonly isFresh: boolean }): Promise<string | undefined>;
}

/** A one-time code is of no use a second time. */
const reusable = /pass(word|phrase)/i;

/** An asker that goes through the port of `context`, one question at a time. */
export function createAsker({ askUser }: Pick<OpenContext, "askUser">): Asker {
	const answers = new Map<string, string>();
	let last: Promise<unknown> = Promise.resolve();
	let hasAsked = false;
	let waitedMs = 0;
	let waiting = 0;
	const askPerson = async (question: UserQuestion) => {
		hasAsked = true;
		const startedAt = performance.now();
		waiting++;
		try {
			const answer = await askUser?.(question);
			if (answer !== undefined && reusable.test(question.text)) answers.set(question.text, answer);
			return answer;
		} finally {
			waiting--;
			waitedMs += performance.now() - startedAt;
		}
	};
	return {
		canAsk: askUser !== undefined,
		get hasAsked() {
			return hasAsked;
		},
		get waitedMs() {
			return waitedMs;
		},
		get isWaiting() {
			return waiting > 0;
		},
		ask(question, { isFresh }) {
			const known = isFresh ? undefined : answers.get(question.text);
			if (known !== undefined) return Promise.resolve(known);
			const asked = last.then(() => askPerson(question));
			last = asked.catch(() => undefined);
			return asked;
		},
	};
}
