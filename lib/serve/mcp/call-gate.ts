/** Lets calls of one session run side by side where they only read, and one after the other where they do more. */

import { untilAborted } from "../../base/abort.ts";

/** The gate of one session: calls pass in the order in which they came. */
export interface CallGate {
	/**
	 * Runs `work` when its turn has come. A call that is given up while it waits never runs.
	 * @throws The reason of `signal`, when it aborts before.
	 */
	run<T>(kind: "reads" | "changes", signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** A gate that nobody waits at. */
export function createCallGate(): CallGate {
	/** Ends when every call that changes something and came before has ended. */
	let lastChange: Promise<unknown> = Promise.resolve();
	/** Calls that read, since then. */
	let readers: Promise<unknown>[] = [];
	return {
		async run(kind, signal, work) {
			const { promise: done, resolve } = Promise.withResolvers<void>();
			const before = kind === "reads" ? lastChange : Promise.all([lastChange, ...readers]);
			if (kind === "reads") readers.push(done);
			else {
				// Given up while it waited, it still must not let those behind it pass those before it.
				lastChange = Promise.all([before, done]);
				readers = [];
			}
			try {
				await untilAborted(before, signal);
				return await work();
			} finally {
				resolve();
				if (kind === "reads") readers = readers.filter((reader) => reader !== done);
			}
		},
	};
}
