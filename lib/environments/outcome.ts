/** What a finished command is, for everything above the shell. */

/** How much of a command's output is kept in memory; `onOutput` sees all of it. */
export interface OutputLimits {
	/** Bytes kept from the start and from the end together. */
	readonly keepBytes: number;
}

/** How one command is run. */
export interface ExecuteOptions {
	/** Folder for this call only; the session's own folder does not change unless the command changes it. */
	readonly cwd?: string;
	/** Seconds until the command is killed; undefined means no limit. */
	readonly timeoutSeconds?: number;
	readonly stdin?: string | Uint8Array;
	readonly signal: AbortSignal;
	/** Called with decoded text as it arrives, whatever the limits keep. */
	onOutput?(text: string): void;
	readonly limits?: OutputLimits;
}

/** A command that ran. A command that could not run because its sandbox is broken throws BackendUnavailable instead. */
export interface Outcome {
	/** Standard output and error, merged; invalid UTF-8 becomes U+FFFD. */
	readonly output: string;
	/** The command's own code; 124 when it timed out, 130 when it was interrupted. */
	readonly exitCode: number;
	readonly ended: "exited" | "timed_out" | "interrupted";
	/** Set when the middle of the output was dropped. */
	readonly truncated?: { readonly omittedBytes: number };
	/** The session's folder after the command. */
	readonly cwd: string;
	readonly ranOn: string;
	/** A change the user should know of, such as a deleted working folder that was replaced by its parent. */
	readonly notice?: string;
	/** Files of this machine that the command should have seen were not there; the user has been told. */
	readonly fileWarning?: string;
}

/** Runs a command in one session's shell. */
export type Execute = (command: string, options: ExecuteOptions) => Promise<Outcome>;
