/** What is remembered between calls of file tools: whose turn it is at a path, who read and wrote it, and where patches fail. */

import { ShownPages } from "./shown-pages.ts";

/** Paths of one task whose failures are counted; the oldest is forgotten first. */
const mostFailing = 64;
/** Files of one agent, and written files, that are remembered. */
const mostRemembered = 4_096;

/** What an agent knows of a file. `stamp` changes with every change of the file; it comes from the place of the file. */
interface Known {
	readonly stamp: string;
	readonly at: number;
	/** Which came first, where the clock shows the same time. */
	readonly order: number;
	/** It saw only a part. */
	readonly isPartial: boolean;
}

/** What is against writing a file, or worth knowing before it. */
export interface Staleness {
	readonly refused?: string;
	readonly warning?: string;
}

/** How the memory behaves. */
export interface FileStateOptions {
	/** Without it nothing is refused or warned about; changes still wait for each other. */
	readonly guard?: boolean;
	now?(): number;
}

/** One per process: agents that share a place share it. */
export class FileState {
	/** What agents have before their eyes. A shorter conversation must `forget`. */
	readonly pages = new ShownPages();
	readonly #turns = new Map<string, Promise<unknown>>();
	readonly #failures = new Map<string, Map<string, number>>();
	readonly #known = new Map<string, Map<string, Known>>();
	/** Paths by the agent that wrote them. */
	readonly #written = new Map<string, Set<string>>();
	readonly #writers = new Map<string, { readonly agent: string; readonly at: number; readonly order: number }>();
	readonly #guards: boolean;
	readonly #now: () => number;
	#order = 0;

	constructor({ guard = true, now = Date.now }: FileStateOptions = {}) {
		this.#guards = guard;
		this.#now = now;
	}

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

	/** `agent` has seen the file at `path`, or a part of it. */
	wasRead(
		agent: string,
		path: string,
		{ stamp, isPartial }: { readonly stamp: string; readonly isPartial: boolean },
	): void {
		const known = this.#known.get(agent) ?? new Map<string, Known>();
		this.#known.set(agent, known);
		remember(known, path, { stamp, isPartial, at: this.#now(), order: this.#order++ });
	}

	/** `agent` has changed the file at `path`, and so knows what it holds. */
	wasWritten(agent: string, path: string, stamp: string): void {
		remember(this.#writers, path, { agent, at: this.#now(), order: this.#order++ });
		this.wasRead(agent, path, { stamp, isPartial: false });
		this.pages.wasChanged(agent, path);
		const written = this.#written.get(agent) ?? new Set();
		this.#written.set(agent, written);
		if (written.size < mostRemembered) written.add(path);
	}

	/** What `agent` has changed, in the order in which it did so first. */
	writtenBy(agent: string): readonly string[] {
		return [...(this.#written.get(agent) ?? [])];
	}

	/** What `agent` has read or written and another agent has changed since. */
	changedSince(agent: string): readonly string[] {
		const known = this.#known.get(agent) ?? new Map<string, Known>();
		return [...known].flatMap(([path, { order }]) => {
			const writer = this.#writers.get(path);
			return writer !== undefined && writer.agent !== agent && writer.order > order ? [path] : [];
		});
	}

	/** An agent that is over knows nothing any more; that it wrote what it wrote stays. */
	forget(agent: string): void {
		this.pages.forget(agent);
		this.#known.delete(agent);
		this.#written.delete(agent);
		this.#failures.delete(agent);
	}

	/**
	 * What is against a change by `agent` of the file at `path`, which has `stamp` now (undefined: there is no such file).
	 * `isWhole`: all of it would be replaced; a change of a part finds out by itself whether that part is as expected.
	 */
	staleness(
		agent: string,
		path: string,
		{ stamp, isWhole }: { readonly stamp: string | undefined; readonly isWhole: boolean },
	): Staleness {
		if (!this.#guards || stamp === undefined) return {};
		const own = this.#known.get(agent)?.get(path);
		const writer = this.#writers.get(path);
		if (writer !== undefined && writer.agent !== agent && (own === undefined || writer.order > own.order)) {
			const read = own === undefined ? "and you have not read it" : `after you read it at ${clock(own.at)}`;
			return {
				refused: `agent ${writer.agent} changed it at ${clock(writer.at)}, ${read}; read it again and make your change to what it holds now`,
			};
		}
		if (own === undefined || !isWhole) return {};
		if (own.stamp !== stamp) {
			const warning = `The file had changed since you read it at ${clock(own.at)}, by something outside; that change was overwritten`;
			return { warning };
		}
		return own.isPartial ? { warning: "You had read only a part of the file that was overwritten" } : {};
	}
}

/** The oldest entry makes room. */
function remember<T>(entries: Map<string, T>, key: string, value: T): void {
	entries.delete(key);
	entries.set(key, value);
	const [oldest] = entries.keys();
	if (entries.size > mostRemembered && oldest !== undefined) entries.delete(oldest);
}

function clock(at: number): string {
	return new Date(at).toTimeString().slice(0, 8);
}
