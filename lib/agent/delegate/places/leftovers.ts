/** What processes that were killed have left in a repository: what has changes is kept for merging, the rest is removed. */

import type { FilePlace } from "../../../files/place.ts";
import { discardChange, listChanges } from "../../../files/worktrees/merge.ts";
import { finishWorktree } from "../../../files/worktrees/worktree.ts";
import { isOwnerGone } from "./owner.ts";

/** Looks at the repository that `cwd` is in, and at copies of folders that are in none. Only changes of ours whose process has ended are touched; failures leave them for the next time. */
export async function settleLeftovers(
	place: Pick<FilePlace, "execute">,
	{ cwd, git }: { readonly cwd: string; readonly git?: string | undefined },
): Promise<void> {
	const program = git === undefined ? {} : { git };
	const listed = await listChanges(place, { cwd, ...program });
	if (!listed.ok) return;
	for (const { id, owner, state, folder, top, exists } of listed.changes) {
		const change = { cwd: top, id, ...program };
		// Somebody has removed the worktree that was left after a merge.
		if (state === "merged" && !exists) await discardChange(place, change);
		if (state !== "open" || !isOwnerGone(owner)) continue;
		// Without a folder it was a copy in a sandbox, and that is gone.
		if (folder === "") await discardChange(place, change);
		else await finishWorktree(place, change);
	}
}
