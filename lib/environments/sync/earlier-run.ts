/** What an earlier run sent to the same sandbox need not be sent again. */

import type { FarFile, RecordedFile } from "./far-record.ts";
import type { LocalFile, LocalFiles } from "./local-files.ts";
import { hashOf } from "./read-local.ts";
import type { SyncTree } from "./sync-sources.ts";

/** What is known of earlier runs. */
export interface EarlierRun {
	readonly recorded: ReadonlyMap<string, RecordedFile>;
	/** What the sandbox really has. */
	readonly present: ReadonlyMap<string, FarFile>;
	/** The record has grown and should be written anew. */
	readonly isLong: boolean;
}

/** Notes what is there as it should be. Returns what is not, and what is there although it should not be. */
export function adopt(
	earlier: EarlierRun | undefined,
	{ local, trees }: { readonly local: LocalFiles; readonly trees: readonly SyncTree[] },
	changed: readonly LocalFile[],
): { readonly missing: readonly LocalFile[]; readonly leftOver: readonly string[] } {
	if (earlier === undefined || earlier.recorded.size === 0) return { missing: changed, leftOver: [] };
	const missing = changed.filter((file) => {
		const recorded = earlier.recorded.get(file.to);
		if (recorded === undefined || !isAsRecorded(file, recorded)) return true;
		const present = earlier.present.get(file.to);
		// What a run that was cut off changed there is not overwritten: it comes back when this one closes.
		const isKept = present !== undefined && trees.some((tree) => tree.comesBack && file.to.startsWith(`${tree.to}/`));
		if (!isKept && !isThere(file, present)) return true;
		local.note(file.path, { ...recorded, isThere: true });
		return false;
	});
	const wanted = new Set([...missing, ...local.sent.values()].map(({ to }) => to));
	return { missing, leftOver: [...earlier.recorded.keys()].filter((to) => !wanted.has(to)) };
}

function isAsRecorded({ path, size, modifiedMs, mode }: LocalFile, recorded: RecordedFile): boolean {
	const isSame = recorded.size === size && recorded.modifiedMs === modifiedMs && recorded.mode === mode;
	return isSame && (!recorded.isFresh || hashOf(path) === recorded.hash);
}

/** Someone there may have changed it or thrown it away. */
function isThere({ size, modifiedMs }: LocalFile, present: FarFile | undefined): boolean {
	return present?.size === size && present.modifiedSeconds === Math.floor(modifiedMs / 1000);
}
