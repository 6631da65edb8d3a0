/** What processes that were killed have left in a repository: what has changes is kept for merging, the rest is removed. */

import { discardChange, listChanges } from "../../../files/worktrees/merge.ts";
import type { ChangeRef } from "../../../files/worktrees/worktree.ts";
import { finishWorktree } from "../../../files/worktrees/worktree.ts";
import { bringBack, type LeftCopy } from "./left-sandbox.ts";
import { holderText, isOwnerGone } from "./owner.ts";
import { backendOf, filesOf, type PlaceOptions } from "./place-parts.ts";

/** Where leftovers are looked for. */
export interface LeftoversRequest {
	/** A folder of the repository, as the task sees it. */
	readonly cwd: string;
	/** The task whose files they are. */
	readonly task: string;
	/** Only this one; all when left out. */
	readonly id?: string | undefined;
	readonly signal: AbortSignal;
}

/**
 * Looks at the repository that `cwd` is in, and at copies of folders that are in none. Only changes of ours whose process has ended are touched;
 * failures leave them for the next time. Answers why there is nothing to merge of some of them, by their ids.
 */
export async function settleLeftovers(
	options: PlaceOptions,
	request: LeftoversRequest,
): Promise<ReadonlyMap<string, string>> {
	const problems = new Map<string, string>();
	const { git, pool } = options;
	const { cwd, task, id, signal } = request;
	const place = filesOf(pool, task, signal);
	const program = git === undefined ? {} : { git };
	const listed = await listChanges(place, { cwd, ...program });
	if (!listed.ok) return problems;
	for (const change of listed.changes.filter((one) => id === undefined || one.id === id)) {
		const { state, owner, folder, exists } = change;
		const ref: ChangeRef = { cwd: change.top, id: change.id, ...program };
		// Somebody has removed the worktree that was left after a merge.
		if (state === "merged" && !exists) await discardChange(place, ref);
		if (state !== "open" || !isOwnerGone(owner)) continue;
		if (folder !== "") {
			await finishWorktree(place, ref);
			continue;
		}
		const problem = await settleCopy(options, { change, ref, task, signal });
		if (problem !== undefined) problems.set(change.id, problem);
	}
	return problems;
}

/** Without a folder it is a copy in a sandbox, which only who has the same home and backend can find. */
async function settleCopy(options: PlaceOptions, left: LeftCopy): Promise<string | undefined> {
	const isOurs = left.change.holder === holderText(backendOf(options.pool, left.task), options.home);
	return isOurs ? await bringBack(options, left) : "its sandbox belongs to another backend or HERMES_HOME";
}
