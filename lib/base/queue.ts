/** Work that must not run side by side. */

/** Begins a piece of work when those before it have ended, however they did. */
export function createQueue() {
	let last: Promise<unknown> = Promise.resolve();
	return <T>(work: () => Promise<T>): Promise<T> => {
		const next = last.then(work, work);
		last = next;
		return next;
	};
}
