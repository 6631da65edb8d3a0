/** Which sandbox and which session a task has: sub-agents share those of the main task unless something else was registered. */

/** What a task wants to have of its own. */
export interface TaskOverride {
	/** Another backend than the session's. */
	readonly backend?: string;
	/** Another image than the configured one, for backends that have images. */
	readonly image?: string;
	/** Where its commands start; with nothing else it gives the task a session of its own in the shared sandbox. */
	readonly cwd?: string;
	/** Another task whose sandbox it shares; the main task's when left out. */
	readonly within?: string;
	/** A sandbox of its own, of the session's backend, that stays open until the task is released, and is gone then with its files. */
	readonly isThrowaway?: true;
	/** With `isThrowaway`: not a new one, but what a killed process has left under this task id; `ended` removes it on release. */
	readonly left?: "found" | "ended";
	/** Works without anybody at the keyboard: nobody is asked for a password on its behalf, and one that is set still counts. */
	readonly isUnattended?: true;
}

/** The task whose sandbox and session everybody without an override uses. */
export const sharedTask = "default";

/** The keys of a task: equal keys, same sandbox or same session. */
export interface TaskKeys {
	readonly sandbox: string;
	readonly session: string;
}

/** The keys of `taskId`, whose override is `override`. */
export function keysOf(taskId: string, override: TaskOverride | undefined): TaskKeys {
	const hasSandbox = isApart(override);
	return {
		sandbox: hasSandbox ? taskId : sharedTask,
		session: hasSandbox || override?.cwd !== undefined ? taskId : sharedTask,
	};
}

/** Whether a task with this override has a sandbox of its own. */
export function isApart(override: TaskOverride | undefined): boolean {
	return override?.backend !== undefined || override?.image !== undefined || override?.isThrowaway === true;
}
