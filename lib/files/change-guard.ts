/** What is against a change of a file, or worth a warning, besides what never may be changed. */

import type { HomeFolders } from "../security/path-safety.ts";
import { softRefusal } from "../security/soft-guards.ts";
import type { FilePlace } from "./place.ts";
import { outsideSafeRoot } from "./safe-root.ts";
import { outsideOwnWorktree } from "./worktrees/own-worktree.ts";

/** Why the file at `path` (absolute, links followed) is not changed; undefined when it may be. */
export function changeRefusal(place: FilePlace, path: string, folders: HomeFolders): string | undefined {
	const soft = place.crossProfile === true ? undefined : softRefusal(path, folders, place.ranOn);
	return outsideSafeRoot(place, path) ?? outsideOwnWorktree(place, path) ?? soft;
}

/**
 * A relative path that leads out of the session's folder: right often enough, and the file of another work tree otherwise.
 * `path` is where it led.
 */
export function outsideWarning({ cwd }: FilePlace, asked: string, path: string): string | undefined {
	const isBelow = cwd === undefined || cwd === "/" || path.startsWith(`${cwd}/`);
	if (isBelow || /^[~/]/.test(asked)) return undefined;
	return `"${asked}" leads out of the folder ${cwd}: the file is ${path}`;
}
