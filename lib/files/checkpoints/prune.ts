/** Removing checkpoints. */

import type { FilePlace } from "../place.ts";
import { numberField } from "../run-script.ts";
import type { CheckpointLimits, CheckpointStore } from "./limits.ts";
import { type CheckpointRefused, runInStore } from "./run-in-store.ts";
import { clearScript, pruneScript } from "./scripts/prune-scripts.ts";
import { oldestId } from "./take.ts";

/** What was removed. */
export interface Pruned {
	readonly ok: true;
	/** Another process is at it; nothing was done. */
	readonly isBusy: boolean;
	/** Folders that were looked at. */
	readonly scanned: number;
	/** Folders that are gone, and those whose checkpoints were all too old. */
	readonly deletedOrphans: number;
	readonly deletedStale: number;
	/** Checkpoints removed, and left. */
	readonly removed: number;
	readonly left: number;
	readonly freedKilobytes: number;
	/** What git complained about. */
	readonly warning?: string;
}

/**
 * Removes what is more, older or larger than `limits` allow.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function pruneCheckpoints(
	place: FilePlace,
	store: CheckpointStore,
	{ limits, now = Date.now() }: { readonly limits: CheckpointLimits; readonly now?: number },
): Promise<Pruned | CheckpointRefused> {
	const { maxSnapshots, maxTotalMegabytes, deleteOrphans, timeoutSeconds } = limits;
	const sizes = [String(maxSnapshots), oldestId(limits, now), String(maxTotalMegabytes * 1024)];
	const answer = await runInStore(place, store, {
		act: "prune the checkpoints",
		script: pruneScript,
		args: [...sizes, deleteOrphans ? "1" : ""],
		timeoutSeconds: timeoutSeconds * 3,
	});
	if (!answer.ok) return answer;
	const { fields } = answer;
	const said = fields.get("said");
	return {
		ok: true,
		isBusy: fields.has("busy"),
		scanned: numberField(fields, "scanned"),
		deletedOrphans: numberField(fields, "gone"),
		deletedStale: numberField(fields, "stale"),
		removed: numberField(fields, "removed"),
		left: numberField(fields, "left"),
		freedKilobytes: numberField(fields, "freed"),
		...(said !== undefined && { warning: said.replace(/\s+/g, " ").trim() }),
	};
}

/**
 * Removes the checkpoints of the folder with `key`, or without it all of them; answers how many there were.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function clearCheckpoints(
	place: FilePlace,
	store: CheckpointStore,
	{ key = "", limits }: { readonly key?: string; readonly limits: CheckpointLimits },
): Promise<{ readonly ok: true; readonly removed: number } | CheckpointRefused> {
	const answer = await runInStore(place, store, {
		act: "clear the checkpoints",
		script: clearScript,
		args: [key],
		timeoutSeconds: limits.timeoutSeconds * 3,
	});
	return answer.ok ? { ok: true, removed: numberField(answer.fields, "removed") } : answer;
}
