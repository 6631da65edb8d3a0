/** Keeps a sub-agent in a worktree from changing the files of its parent by their own paths, which its task may name. */

import { isAtOrBelow } from "../../security/path-safety.ts";
import type { FilePlace } from "../place.ts";

/** A folder of `worktreesFolder`, and what that is in. */
const inWorktree = /^((.*)\/\.hermes-worktrees\/[^/]+)(?:\/|$)/s;

/**
 * Why the file at `path` (absolute, links followed) is not to be changed by a session that is in a worktree of ours; undefined when nothing
 * speaks against it. Files outside of the project are nobody's in particular.
 */
export function outsideOwnWorktree({ cwd = "" }: Pick<FilePlace, "cwd">, path: string): string | undefined {
	const [, folder, top = ""] = inWorktree.exec(cwd) ?? [];
	if (folder === undefined || isAtOrBelow(path, folder) || !isAtOrBelow(path, top)) return undefined;
	const [, other] = inWorktree.exec(path) ?? [];
	const relative = path.slice((other ?? top).length);
	return `you work in a git worktree, and it is not in that; the file that you may change is ${folder}${relative}`;
}
