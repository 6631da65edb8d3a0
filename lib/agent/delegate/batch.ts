/** Runs the children of one call side by side, a few at a time; what does not stop is left alone, and nobody waits for it. */

/** How a batch goes. */
export interface BatchOptions {
	/** How many run at once. */
	readonly atOnce: number;
	/** When it aborts nothing new is begun, and what runs is expected to end soon. */
	readonly signal: AbortSignal;
	/** Runs one; must not reject. */
	run(index: number): Promise<void>;
}

/** Resolves when all that were begun have ended. Each ends soon after the signal by itself, so that none can hold the others. */
export async function runBatch(count: number, { atOnce, signal, run }: BatchOptions): Promise<void> {
	let next = 0;
	const work = async () => {
		for (let index = next++; index < count && !signal.aborted; index = next++) await run(index);
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
}
