/** A git worktree as the place of a sub-agent: in its parent's sandbox, by the git there. */

import { discardChange } from "../../../files/worktrees/merge.ts";
import { finishWorktree, type OpenedWorktree, openWorktree } from "../../../files/worktrees/worktree.ts";
import type { IsolatedPlace, IsolationRequest } from "../isolation.ts";
import { ownerText } from "./owner.ts";
import { backendOf, changeOf, done, filesOf, lastFilesOf, type PlaceOptions, shownNames } from "./place-parts.ts";

/** @throws {Error} When there can be none; the message says what else could be asked for. */
export async function openWorktreePlace(options: PlaceOptions, request: IsolationRequest): Promise<IsolatedPlace> {
	const { pool, git } = options;
	const { parentTask, childTask, cwd, signal } = request;
	const change = { cwd, id: childTask, ...(git !== undefined && { git }) };
	const undo = () => discardChange(lastFilesOf(pool, parentTask), change);
	const opened = await openWorktree(filesOf(pool, parentTask, signal), { ...change, owner: ownerText() });
	if (!opened.ok) {
		// Where it was stopped in the middle there may be a part of it.
		if (opened.code === "failed" || opened.code === "too_slow") await undo();
		throw new Error(`${opened.error}. Without isolation the child works on your files`);
	}
	try {
		signal.throwIfAborted();
		await pool.register(childTask, { cwd: opened.cwd, within: parentTask, isUnattended: true });
	} catch (cause) {
		await undo();
		throw cause;
	}
	const { branch, base, folder } = opened;
	const backend = backendOf(pool, parentTask);
	return {
		cwd: opened.cwd,
		description: describe(opened),
		begun: { kind: "worktree", summary: `what is in ${folder}`, target: cwd, backend, base, branch, folder },
		async finish() {
			try {
				const work = done(await finishWorktree(lastFilesOf(pool, parentTask), change));
				return work.isUnchanged ? { kind: "unchanged" } : { kind: "kept", change: changeOf(pool, work, request) };
			} finally {
				await pool.release(childTask);
			}
		},
	};
}

function describe({ folder, top, branch, left, hasUncommitted }: OpenedWorktree): string {
	const has = hasUncommitted
		? "the files as they are there, also what is not committed"
		: "the files of its last commit";
	const missing = left.length === 0 ? "" : ` ${shownNames(left)} ${left.length === 1 ? "is" : "are"} not in it either.`;
	return `This is a git worktree of ${top} on the branch ${branch}, with ${has}. Only you see what you change here; whoever gave you the task takes it over afterwards. Where the task names a file below ${top}, use the one below ${folder} instead, and change nothing in ${top} outside of it. What git ignores (installed packages, for example) is not in it.${missing}`;
}
