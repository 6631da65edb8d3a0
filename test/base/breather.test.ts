/** Work that gives way to the rest of the process. */

import { expect, test } from "bun:test";
import { createBreather } from "../../lib/base/breather.ts";

/** Rounds of work that are done before a timer of no time at all has its turn; `most` when it never has. */
async function roundsBeforeTimer(between: () => Promise<void> | undefined, most: number): Promise<number> {
	let isOver = false;
	setTimeout(() => {
		isOver = true;
	}, 0);
	for (let round = 0; round < most; round++) {
		await Promise.resolve();
		const pause = between();
		if (pause !== undefined) await pause;
		if (isOver) return round;
	}
	return most;
}

test("createBreather() lets timers have their turn in the middle of work that never waits", async () => {
	const most = 200_000_000;
	expect(await roundsBeforeTimer(createBreather(), most)).toBeLessThan(most);
});

test("without it the same work keeps them waiting", async () => {
	expect(await roundsBeforeTimer(() => undefined, 100_000)).toBe(100_000);
});
