/** Assertions for conformance cases; `bun:test` does not exist in a compiled binary. */

/** A broken promise, with what was seen and what was wanted. */
export class PromiseBroken extends Error {
	override readonly name = "PromiseBroken";
}

/** How much of a long value a message shows. */
const shownCharacters = 400;

/** @throws {PromiseBroken} When the two differ in any part. */
export function equal<T>(seen: T, wanted: T): void {
	if (!Bun.deepEquals(seen, wanted, true)) throw new PromiseBroken(`got ${shown(seen)}, want ${shown(wanted)}`);
}

/** @throws {PromiseBroken} With `what` when it does not hold. */
export function holds(condition: boolean, what: string): asserts condition {
	if (!condition) throw new PromiseBroken(what);
}

/** Asks until it holds. @throws {PromiseBroken} With `what` when it does not within the limit. */
export async function holdsWithin(limitMs: number, what: string, ask: () => Promise<boolean>): Promise<void> {
	for (const giveUpAt = performance.now() + limitMs; performance.now() < giveUpAt; ) {
		if (await ask()) return;
		await Bun.sleep(50);
	}
	throw new PromiseBroken(what);
}

function shown(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}… (${text.length} characters)`;
}
