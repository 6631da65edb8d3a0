/** What bounds checkpoints, and where they are kept. */

/** How much is kept, and for how long. */
export interface CheckpointLimits {
	/** Checkpoints of one folder. */
	readonly maxSnapshots: number;
	/** Megabytes of all folders together. */
	readonly maxTotalMegabytes: number;
	/** Megabytes of a file whose newest content is still kept. */
	readonly maxFileMegabytes: number;
	/** Days a checkpoint is kept; 0 is for ever. */
	readonly retentionDays: number;
	/** Old checkpoints are removed without being asked. */
	readonly autoPrune: boolean;
	/** Checkpoints of folders that are gone may be removed before their time. */
	readonly deleteOrphans: boolean;
	/** Seconds that one snapshot may take; clearing up may take three times as long. */
	readonly timeoutSeconds: number;
}

/** Where checkpoints are kept, as the scripts are told. */
export interface CheckpointStore {
	/** Absolute folder; undefined is the sandbox's own, below HERMES_HOME or `~/.hermes` there. */
	readonly folder?: string | undefined;
	/** The program; `git` when left out. */
	readonly git?: string;
}

/** Files that one folder may have, without those that are left out. */
export const mostFiles = 50_000;

const shortestSeconds = 10;
const longestSeconds = 60;
const usualSeconds = 30;

/** HERMES_CHECKPOINT_TIMEOUT within its bounds. */
export function checkpointTimeout(variable: string | undefined): number {
	const seconds = Number(variable?.trim() || usualSeconds);
	return Number.isFinite(seconds) ? Math.min(Math.max(seconds, shortestSeconds), longestSeconds) : usualSeconds;
}

/** Names `root` inside a store. */
export function folderKey(root: string): string {
	return new Bun.CryptoHasher("sha256").update(root).digest("hex").slice(0, 16);
}
