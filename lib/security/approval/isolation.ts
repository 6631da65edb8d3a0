/** How far a place is a wall of its own, and which deletions reach through it. */

import type { Category, Danger, Reach } from "../commands/categories.ts";
import { homeMark, unknownMark } from "../shell/fields.ts";
import { absoluteParts } from "../shell/protected-paths.ts";

/**
 * `none`: somebody's machine, this one or another, or a container that can command it. `sandbox`: nothing outside can be
 * reached, but for folders of this machine that are mounted for writing, at `mounts` inside.
 */
export type Isolation = { readonly kind: "none" } | { readonly kind: "sandbox"; readonly mounts: readonly string[] };

const deletions: ReadonlySet<Category> = new Set([
	...(["delete-absolute", "delete-recursive", "delete-listed", "find-exec-delete", "find-delete", "shred"] as const),
]);

/** The dangers that are left in a place of this kind. */
export function dangersLeft(dangers: readonly Danger[], isolation: Isolation): readonly Danger[] {
	if (isolation.kind === "none") return dangers;
	const { mounts } = isolation;
	if (mounts.length === 0) return [];
	return dangers.filter(({ category, reaches = [] }) => {
		return deletions.has(category) && reaches.some((reach) => reachesMount(reach, mounts));
	});
}

function reachesMount({ path, cwd }: Reach, mounts: readonly string[]): boolean {
	if (path.startsWith(homeMark)) return mounts.some((mount) => /^\/(?:root|home)(?:\/|$)/.test(mount));
	if (path.includes(unknownMark)) return true;
	const parts = absoluteParts(path, cwd);
	if (parts === undefined) return true;
	const firstGlob = parts.findIndex((part) => /[*?[]/.test(part));
	const known = `/${parts.slice(0, firstGlob < 0 ? parts.length : firstGlob).join("/")}`;
	return mounts.some((mount) => isWithin(known, mount.toLowerCase()) || isWithin(mount.toLowerCase(), known));
}

function isWithin(path: string, folder: string): boolean {
	return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}
