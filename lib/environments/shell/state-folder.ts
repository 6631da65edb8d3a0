/** The seam between the shell and the files of the place where commands run. */

/**
 * A private folder of one shell session, where a command leaves its state and finds what does not fit into its text.
 * Paths are as the sandbox sees them. A backend whose files the host can reach answers from the disk; others answer through
 * processes of the sandbox or a relay.
 */
export interface StateFolder extends AsyncDisposable {
	/** A path that no call used before; nothing is there yet. */
	reserve(): Promise<string>;
	/** What a command wrote to a reserved path, which is removed; undefined when it wrote nothing. */
	take(path: string): Promise<Buffer | undefined>;
	/** Writes a new file that only its owner can read, and returns its path. */
	place(content: Uint8Array): Promise<string>;
	/** Removes a placed file; one that is gone already is fine. */
	remove(path: string): Promise<void>;
	/** The nearest folder that exists at `path` or above it, as its real path without symbolic links. */
	nearestFolder(path: string): Promise<NearestFolder>;
}

/** An existing folder, and whether it is the one that was asked for. */
export interface NearestFolder {
	readonly path: string;
	readonly isAsked: boolean;
}
