/** A far side that stops sending is given up, and a person who interrupts is obeyed at once. */

import { itemsUntilAborted, untilAborted } from "../base/abort.ts";

/** Nothing came for too long. */
export class Stalled extends Error {
	override readonly name = "Stalled";
}

/** The longest that a timer of the runtime can wait. */
const longestMs = 2 ** 31 - 1;

/** A limit on silence. Disposing it ends whatever still listens to its signal. */
export interface StallGuard extends Disposable {
	/** Aborted by the caller, or with a `Stalled` when nothing came in time. */
	readonly signal: AbortSignal;
	/**
	 * Passes `items` on, counting the silence anew before each that is a part of an answer. Rejects as soon as `signal` aborts,
	 * whatever the source does.
	 */
	watch<T>(items: AsyncIterable<T>, isPart?: (item: T) => boolean): AsyncGenerator<T>;
	/** Waits for `promise` in the same way. */
	wait<T>(promise: PromiseLike<T>): Promise<T>;
}

/** The silence is counted from now on. */
export function guardStall(seconds: number, caller: AbortSignal): StallGuard {
	const stalled = new AbortController();
	const signal = AbortSignal.any([caller, stalled.signal]);
	let timer: Timer | undefined;
	const giveUp = () => stalled.abort(new Stalled(`Nothing came for ${seconds} s`));
	const restart = () => {
		clearTimeout(timer);
		timer = setTimeout(giveUp, Math.min(seconds * 1000, longestMs));
	};
	restart();

	return {
		signal,
		wait: (promise) => untilAborted(promise, signal),
		async *watch(items, isPart = () => true) {
			for await (const item of itemsUntilAborted(items, signal)) {
				if (isPart(item)) restart();
				yield item;
			}
		},
		[Symbol.dispose]() {
			clearTimeout(timer);
			stalled.abort();
		},
	};
}
