/** Waiting that gives up after a while without failing. */

import { longestTimerSeconds } from "./longest-timer.ts";

/** Resolves when `promise` has settled, or after `limitMs`; a rejection is thrown only when it comes in time. */
export async function settledWithin(promise: Promise<unknown>, limitMs: number): Promise<void> {
	const { promise: late, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, Math.min(limitMs, longestTimerSeconds * 1_000));
	try {
		await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}
