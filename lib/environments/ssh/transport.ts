/** What the two ways to a host have in common: both run one line in the user's login shell there. */

import type { StartOptions } from "../backend.ts";

/** A line to run. */
export interface LineRequest {
	readonly line: string;
	/** Without it the program gets end-of-file at once. */
	readonly hasInput: boolean;
	readonly pty?: StartOptions["pty"];
	/** It ends another process, so it must not wait behind those. */
	readonly isUrgent: boolean;
	readonly signal: AbortSignal;
}

/** A line that runs. Both streams go on for as long as any process on the host holds them. */
export interface RemoteLine {
	readonly stdin: WritableStream<Uint8Array> | undefined;
	readonly output: ReadableStream<Uint8Array>;
	/** Standard error; the client's own messages come here too. */
	readonly errors: ReadableStream<Uint8Array>;
	/** The exit code. Rejects with BackendUnavailable when the connection is lost before. */
	readonly exited: Promise<number>;
	/**
	 * Asked after the end: settles when everything is here that was written before it, or never when both streams will end by
	 * themselves. `received` counts the bytes that have come.
	 */
	settled(received: () => number): Promise<void>;
	/** Lets go of it; what runs there may get SIGPIPE. */
	abandon(): void;
}

/** A way to run lines on one host. */
export interface Transport extends AsyncDisposable {
	/** `user@host`, with the port when it is not the usual one. */
	readonly destination: string;
	/** There is a program between us and the host: its `exited` may mean its own end, so programs must tell theirs in words. */
	readonly needsEndReport: boolean;
	/** Longer ones go by way of the input; 100,000 bytes when left out. */
	readonly longestLine?: number;
	/** @throws {BackendUnavailable} When the host cannot be reached or runs nothing. */
	run(request: LineRequest): Promise<RemoteLine>;
}
