/** What of this machine a sandbox that has its own files is given a copy of. */

/** A folder and everything regular in it. Symbolic links are left out: they could lead anywhere on this machine. */
export interface SyncTree {
	/** Absolute; need not exist. */
	readonly from: string;
	/** Relative to the sandbox's `.hermes`, parts separated by `/`. */
	readonly to: string;
	/** What the sandbox changes in it, and adds to it, is brought back when the sandbox is closed. */
	readonly comesBack: boolean;
}

/** A single file. It never comes back. */
export interface SyncFile {
	/** Absolute, a regular file. */
	readonly from: string;
	/** As in a tree. */
	readonly to: string;
}

/** Everything. Where two claim the same place in the sandbox, files stand above trees, and earlier above later ones. */
export interface SyncSources {
	readonly files: readonly SyncFile[];
	readonly trees: readonly SyncTree[];
}

/** The names directly below `.hermes` that these can fill. */
export function topNames({ files, trees }: SyncSources): string[] {
	return [...new Set([...trees, ...files].map(({ to }) => to.split("/")[0] ?? to))];
}
