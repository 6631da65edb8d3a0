/** Lets the rest of the process have its turn: what is awaited from memory never gives way to keys, signals and timers. */

/** Work that has lasted this long gives way. */
const longestMs = 4;

/**
 * A function to call between pieces of work: after a while of it, it gives a promise that resolves when keys, signals and timers
 * that were waiting have been dealt with; undefined until then.
 */
export function createBreather(): () => Promise<void> | undefined {
	let last = performance.now();
	return () => {
		if (performance.now() - last < longestMs) return undefined;
		return new Promise((resolve) =>
			setImmediate(() => {
				last = performance.now();
				resolve();
			}),
		);
	};
}
