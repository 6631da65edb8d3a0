/** What the user has said and nobody has dealt with yet. */

/** Words in the order in which they were said. */
export interface Inbox {
	push(text: string): void;
	/** The user leaves: everything that waits is dropped. */
	end(): void;
	/** How many wait. */
	readonly length: number;
	/**
	 * The next words; undefined when the user leaves or `signal` aborts; nothing is `said` when `other` resolves first. `other` is given a
	 * signal that aborts when nobody waits for it any more.
	 */
	next(
		signal: AbortSignal,
		other: (listening: AbortSignal) => Promise<void>,
	): Promise<{ readonly said?: string } | undefined>;
}

/** An empty one. */
export function createInbox(): Inbox {
	const waiting: string[] = [];
	let ended = false;
	let wake = () => {};
	return {
		push(text) {
			waiting.push(text);
			wake();
		},
		end() {
			ended = true;
			waiting.length = 0;
			wake();
		},
		get length() {
			return waiting.length;
		},
		async next(signal, other) {
			const listening = new AbortController();
			const changed = new Promise<void>((resolve) => {
				wake = resolve;
			});
			const onAbort = () => wake();
			signal.addEventListener("abort", onAbort, { once: true });
			try {
				if (waiting.length === 0 && !ended && !signal.aborted) await Promise.race([changed, other(listening.signal)]);
				if (ended || signal.aborted) return undefined;
				const said = waiting.shift();
				return said === undefined ? {} : { said };
			} finally {
				listening.abort();
				signal.removeEventListener("abort", onAbort);
			}
		},
	};
}
