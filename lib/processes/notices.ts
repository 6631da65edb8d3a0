/** The queue of notices of one process of ours: in order, each handed over once. */

import type { Notice } from "./notice.ts";

/** A notice, and the task it is for; `undefined` for everybody. */
interface Waiting {
	readonly taskId: string | undefined;
	readonly notice: Notice;
}

/** Notices that wait for a turn. */
export interface Notices {
	push(taskId: string | undefined, notice: Notice): void;
	/** Takes what waits for the task. */
	take(taskId: string): readonly Notice[];
	/** The process was looked at after its end: what waits about it is not told again. */
	forget(id: string): void;
	/** Something waits for the task. */
	has(taskId: string): boolean;
	/** Calls `listener` whenever something was pushed, until it is disposed of. */
	onPush(listener: () => void): Disposable;
}

/** An empty queue. */
export function createNotices(): Notices {
	let waiting: Waiting[] = [];
	const listeners = new Set<() => void>();
	const isFor = (taskId: string) => (one: Waiting) => one.taskId === undefined || one.taskId === taskId;
	const drop = (id: string) => {
		waiting = waiting.filter(({ notice }) => !("id" in notice) || notice.id !== id);
	};
	return {
		push(taskId, notice) {
			// Its last output is in the completion: two notices about the same thing are one too many (#15276).
			if (notice.type === "completion") drop(notice.id);
			waiting.push({ taskId, notice });
			for (const listener of listeners) listener();
		},
		take(taskId) {
			const taken = waiting.filter(isFor(taskId));
			waiting = waiting.filter((one) => !isFor(taskId)(one));
			return taken.map(({ notice }) => notice);
		},
		forget: drop,
		has: (taskId) => waiting.some(isFor(taskId)),
		onPush(listener) {
			listeners.add(listener);
			return { [Symbol.dispose]: () => void listeners.delete(listener) };
		},
	};
}
