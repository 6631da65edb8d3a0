/** Running code that others wrote: what it throws is its own failure and nobody else's. */

/** What came of it; `reason` is one line. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Calls `run` and keeps what it throws. */
export function attempt<T>(run: () => T): Attempt<T> {
	try {
		return { ok: true, value: run() };
	} catch (cause) {
		return { ok: false, reason: reasonOf(cause) };
	}
}

/** The same for what is awaited; a function that throws before it returns its promise counts too. */
export async function attemptAsync<T>(run: () => T | PromiseLike<T>): Promise<Attempt<T>> {
	try {
		return { ok: true, value: await run() };
	} catch (cause) {
		return { ok: false, reason: reasonOf(cause) };
	}
}

/** The message of an error, or whatever was thrown instead of one, on one line. */
export function reasonOf(cause: unknown): string {
	const text = cause instanceof Error ? cause.message || cause.name : String(cause);
	return text.replace(/\s+/g, " ").trim();
}
