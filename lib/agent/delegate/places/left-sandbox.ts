/** The sandbox of a sub-agent whose process was killed: what it holds is brought back, or thrown away with it. */

import { attemptAsync, reasonOf } from "../../../base/attempt.ts";
import { SandboxGone } from "../../../environments/backend.ts";
import { claimChange, finishCopy } from "../../../files/worktrees/copy.ts";
import { discardChange, type NotedChange } from "../../../files/worktrees/merge.ts";
import type { ChangeRef } from "../../../files/worktrees/worktree.ts";
import { ownerText } from "./owner.ts";
import { done, lastFilesOf, type PlaceOptions } from "./place-parts.ts";

/** Which change, and whose files it goes to. */
export interface LeftCopy {
	readonly change: NotedChange;
	readonly ref: ChangeRef;
	readonly task: string;
	readonly signal: AbortSignal;
}

/**
 * Keeps what the sandbox holds as a commit, as its process would have done, and removes it. One that is gone takes its change along; one
 * that cannot be reached is left as it is. Answers why there is nothing to merge now; undefined when that is not so.
 */
export async function bringBack(
	options: PlaceOptions,
	{ change, ref, task, signal }: LeftCopy,
): Promise<string | undefined> {
	const { pool } = options;
	const { id, owner, far, skip } = change;
	const place = lastFilesOf(pool, task);
	const own = ownerText();
	if (!(await claimChange(place, ref, { from: owner, to: own }))) return undefined;
	try {
		if (far === "") {
			// It was killed before the sub-agent began.
			await discardChange(place, ref);
		} else {
			await pool.register(id, { isThrowaway: true, left: "found", isUnattended: true });
			const ends = { from: pool.shell(task), to: pool.shell(id) };
			done(await finishCopy({ ...ref, ...ends, signal }, { folder: far, skip }));
		}
	} catch (cause) {
		if (!(cause instanceof SandboxGone)) {
			await claimChange(place, ref, { from: own, to: owner });
			return reasonOf(cause);
		}
		await discardChange(place, ref);
		return reasonOf(cause);
	} finally {
		await attemptAsync(() => pool.release(id));
	}
	await removeLeftSandbox(options, id, signal);
	return undefined;
}

/** Removes the sandbox of a killed process; one that is gone already, or cannot be reached, is nothing that anybody waits for. */
export async function removeLeftSandbox({ pool }: PlaceOptions, id: string, signal: AbortSignal): Promise<void> {
	await attemptAsync(async () => {
		await pool.register(id, { isThrowaway: true, left: "ended", isUnattended: true });
		await pool.shell(id).open(signal);
	});
	await attemptAsync(() => pool.release(id));
}
