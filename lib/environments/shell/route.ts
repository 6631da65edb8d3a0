/** The seam between a session and the place where its commands run: how bash is started there and how its state comes back. */

import type { Running, StartOptions } from "../backend.ts";
import type { CapturedState } from "./session-state.ts";

/** Files of one session in its place, private to their owner. */
export interface SessionFiles {
	/** A path that no call used before; nothing is there yet. */
	reserve(): string;
	/** Writes a new file that only its owner can read, and returns its path. */
	place(content: Uint8Array): Promise<string>;
	/** Removes a placed file; one that is gone already is fine. */
	remove(path: string): Promise<void>;
}

/** One start of a shell. */
export interface RouteCall extends Pick<StartOptions, "env" | "stdin" | "signal" | "deadlineSeconds"> {
	/** The shell and its arguments, given the file that it has to write its state to. */
	argv(statePath: string): readonly string[];
	/** Where it starts, absolute. */
	readonly folder: string;
	/** `nearest`: the nearest folder above takes the place of one that is gone. `exact`: then nothing is started. */
	readonly find: "nearest" | "exact";
	/** A placed file without which the call would do something else. */
	readonly needs?: string | undefined;
}

/** A shell that runs, or was not started because its folder is not there: then it says nothing and exits 126. */
export interface RouteRun extends Pick<Running, "output" | "exited" | "kill"> {
	/** What is known after the end. */
	left(): Promise<Left>;
}

/** Where a shell had started, and what it left. */
export interface Left {
	/** The folder it started in, without symbolic links; undefined when it was not started, or ended before it could tell. */
	readonly folder: string | undefined;
	/** Whether that is the one that was asked for. */
	readonly isAsked: boolean;
	/** Undefined when it was killed, replaced itself (`exec`) or our trap. */
	readonly captured: CapturedState | undefined;
}

/** A way to start shells. Disposing it removes the session's files. */
export interface Route extends AsyncDisposable {
	readonly files: SessionFiles;
	/** Text up to this many bytes goes along with a call; longer text has to be placed. */
	readonly inlineBytes: number;
	/** @throws {BackendUnavailable} When the place is broken. */
	start(call: RouteCall): Promise<RouteRun>;
}

/** The exit code of a shell that could not be started in its folder. */
export const noFolderCode = 126;
