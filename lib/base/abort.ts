/** Waiting that ends with a signal, whatever the thing waited for does. */

/**
 * What `promise` gives, or a rejection with the signal's reason as soon as it aborts. A result that comes later is dropped.
 */
export function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	return firstOf(promise, aborted, { signal, onAbort: () => reject(signal.reason) });
}

/** What `promise` gives, or undefined as soon as the signal aborts. */
export function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> {
	const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
	return firstOf(promise, aborted, { signal, onAbort: () => resolve(undefined) });
}

async function firstOf<T, A>(
	promise: PromiseLike<T>,
	aborted: Promise<A>,
	{ signal, onAbort }: { readonly signal: AbortSignal; readonly onAbort: () => void },
): Promise<T | A> {
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

/** A signal for as long as something runs. */
export interface RunSignal extends Disposable {
	readonly signal: AbortSignal;
}

/**
 * Aborted with the first of `signals`. Disposing it lets go of them: what `AbortSignal.any` makes stays with a signal that
 * lives long, a kilobyte for each (Bun 1.4.5).
 */
export function firstAborted(signals: readonly AbortSignal[]): RunSignal {
	const controller = new AbortController();
	const onAbort = () => controller.abort(signals.find((signal) => signal.aborted)?.reason);
	if (signals.some((signal) => signal.aborted)) onAbort();
	for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
	return {
		signal: controller.signal,
		[Symbol.dispose]() {
			for (const signal of signals) signal.removeEventListener("abort", onAbort);
		},
	};
}

/** The items of a source until it ends or the signal aborts; the source is told when its consumer leaves early. */
export async function* itemsUntilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
	const iterator = items[Symbol.asyncIterator]();
	let ended = false;
	try {
		for (;;) {
			const next = await untilAborted(iterator.next(), signal);
			if (next.done) {
				ended = true;
				return;
			}
			yield next.value;
		}
	} finally {
		// Not awaited: a source that hangs would hang its consumer. Its failure has nobody left to interest.
		if (!ended) iterator.return?.().catch(() => undefined);
	}
}
