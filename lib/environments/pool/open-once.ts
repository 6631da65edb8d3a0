/** Something that many ask for at once and that is opened for all of them together. */

import { untilAborted } from "../../base/abort.ts";

/** Opened when first asked for. Disposing it gives up an opening under way and closes what was opened. */
export interface OpenOnce<T> extends AsyncDisposable {
	/**
	 * What was opened. A failed opening is tried again by the next caller.
	 * @throws What the opening threw, or the reason of `signal`: one that gives up does not disturb the others.
	 */
	get(signal: AbortSignal): Promise<T>;
	/** What is open now. */
	readonly value: T | undefined;
}

interface Attempt<T> {
	readonly opened: Promise<T>;
	readonly giveUp: AbortController;
	waiting: number;
	value?: T;
}

/** `open` is told to give up when nobody waits for it any more; what it opens all the same is closed again. */
export function openOnce<T extends AsyncDisposable>(open: (signal: AbortSignal) => Promise<T>): OpenOnce<T> {
	let attempt: Attempt<T> | undefined;

	const forget = (failed: Attempt<T>) => {
		if (attempt === failed) attempt = undefined;
	};
	const begin = (): Attempt<T> => {
		const giveUp = new AbortController();
		const begun: Attempt<T> = { opened: openUnlessAborted(open, giveUp.signal), giveUp, waiting: 0 };
		attempt = begun;
		begun.opened.then(
			(value) => {
				begun.value = value;
			},
			() => forget(begun),
		);
		return begun;
	};

	return {
		get value() {
			return attempt?.value;
		},
		async get(signal) {
			signal.throwIfAborted();
			const current = attempt ?? begin();
			current.waiting++;
			try {
				return await untilAborted(current.opened, signal);
			} finally {
				current.waiting--;
				if (current.waiting === 0 && signal.aborted && current.value === undefined) {
					forget(current);
					current.giveUp.abort(signal.reason);
				}
			}
		},
		async [Symbol.asyncDispose]() {
			const last = attempt;
			if (last === undefined) return;
			attempt = undefined;
			last.giveUp.abort(new Error("Cannot open: it is being closed"));
			const value = last.value ?? (await last.opened.catch(() => undefined));
			await value?.[Symbol.asyncDispose]();
		},
	};
}

async function openUnlessAborted<T extends AsyncDisposable>(
	open: (signal: AbortSignal) => Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	const value = await open(signal);
	if (!signal.aborted) return value;
	await value[Symbol.asyncDispose]();
	throw signal.reason;
}
