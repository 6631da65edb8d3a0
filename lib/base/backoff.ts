/** How long to wait before a request is tried again. */

const firstMs = 100;
const longestMs = 5_000;

/** Doubles with each attempt (from 0), between half of it and all of it, so that many clients do not come back together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
	return Math.min(firstMs * 2 ** attempt, longestMs) * (0.5 + random() / 2);
}
