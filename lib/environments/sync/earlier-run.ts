/** What an earlier run sent to the same sandbox need not be sent again. */

import type { FarFile, RecordedFile } from "./far-record.ts";
import type { LocalFile, LocalFiles } from "./local-files.ts";
import { hashOf } from "./read-local.ts";

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
	local: LocalFiles,
	changed: readonly LocalFile[],
): { readonly missing: readonly LocalFile[]; readonly leftOver: readonly string[] } {
	if (earlier === undefined || earlier.recorded.size === 0) return { missing: changed, leftOver: [] };
	const missing = changed.filter((file) => {
		const recorded = earlier.recorded.get(file.to);
		if (recorded === undefined || !isThere(file, recorded, earlier.present.get(file.to))) return true;
		local.note(file.path, { ...recorded, isThere: true });
		return false;
	});
	const wanted = new Set([...missing, ...local.sent.values()].map(({ to }) => to));
	return { missing, leftOver: [...earlier.recorded.keys()].filter((to) => !wanted.has(to)) };
}

function isThere(file: LocalFile, recorded: RecordedFile, present: FarFile | undefined): boolean {
	const isSame = recorded.size === file.size && recorded.modifiedMs === file.modifiedMs && recorded.mode === file.mode;
	// Someone there may have changed it or thrown it away.
	const isPresent = present?.size === file.size && present.modifiedSeconds === Math.floor(file.modifiedMs / 1000);
	return isSame && isPresent && (!recorded.isFresh || hashOf(file.path) === recorded.hash);
}
