/** Time and chance of the loop, so that tests can do without both. */

import { untilAborted } from "../base/abort.ts";

/** What the loop knows of time. */
export interface Clock {
	/** Milliseconds since some moment; never goes back. */
	now(): number;
	/** At least 0, less than 1. */
	random(): number;
	/** Waits; rejects with the signal's reason as soon as it aborts. */
	sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The time of this machine. */
export const systemClock: Clock = {
	now: () => performance.now(),
	random: Math.random,
	async sleep(milliseconds, signal) {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, milliseconds);
		try {
			await untilAborted(promise, signal);
		} finally {
			clearTimeout(timer);
		}
	},
};
