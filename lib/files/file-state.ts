/** What is remembered between calls of file tools: whose turn it is at a path, and how often a patch failed there. */

/** Paths of one task whose failures are counted; the oldest is forgotten first. */
const mostFailing = 64;

/** One per process: agents that share a place share it. */
export class FileState {
	readonly #turns = new Map<string, Promise<unknown>>();
	readonly #failures = new Map<string, Map<string, number>>();

	/**
	 * Runs `change` when nobody else changes any of `paths`; others wait until it is done. Paths are taken in their order,
	 * so that two changes that overlap never wait for each other.
	 */
	async inTurn<T>(paths: readonly string[], change: () => Promise<T>): Promise<T> {
		const [first, ...rest] = [...new Set(paths)].sort();
		if (first === undefined) return change();
		const before = this.#turns.get(first) ?? Promise.resolve();
		const { promise: done, resolve } = Promise.withResolvers<void>();
		const turn = before.then(() => done);
		this.#turns.set(first, turn);
		await before;
		try {
			return await this.inTurn(rest, change);
		} finally {
			resolve();
			if (this.#turns.get(first) === turn) this.#turns.delete(first);
		}
	}

	/** Counts one more patch of `path` that found nothing to replace; returns how many there were without a success. */
	patchFailed(taskId: string, path: string): number {
		const failures = this.#failures.get(taskId) ?? new Map<string, number>();
		this.#failures.set(taskId, failures);
		const count = (failures.get(path) ?? 0) + 1;
		failures.delete(path);
		failures.set(path, count);
		const [oldest] = failures.keys();
		if (failures.size > mostFailing && oldest !== undefined) failures.delete(oldest);
		return count;
	}

	/** The path was changed: what failed before says nothing any more. */
	patchWorked(taskId: string, path: string): void {
		this.#failures.get(taskId)?.delete(path);
	}
}
