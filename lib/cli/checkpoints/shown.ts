/** Checkpoints as people and scripts read them. */

import { shownTime } from "../../base/shown-time.ts";
import type { Checkpoint } from "../../files/checkpoints/history.ts";
import { visible } from "../runtime/paint.ts";

const shortLength = 8;

/** As short as an id is shown. */
export function shortHash(hash: string): string {
	return hash.slice(0, shortLength);
}

/** One checkpoint, as `--json` prints it. */
export function checkpointRow({ hash, takenAt, reason, changes }: Checkpoint) {
	return {
		hash,
		short_hash: shortHash(hash),
		timestamp: new Date(takenAt).toISOString(),
		reason,
		files_changed: changes?.files ?? null,
		insertions: changes?.insertions ?? null,
		deletions: changes?.deletions ?? null,
	};
}

/** The same on one line; `number` is its place in the list. */
export function checkpointLine({ hash, takenAt, reason, changes }: Checkpoint, number: number): string {
	const since =
		changes === undefined ? "" : `  (${changes.files} changed, +${changes.insertions} -${changes.deletions})`;
	return `${String(number).padStart(3)}  ${shortHash(hash)}  ${shownTime(takenAt)}  ${visible(reason)}${since}\n`;
}
