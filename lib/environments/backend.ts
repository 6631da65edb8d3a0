/** The contract of a backend: one place where processes can be started. Everything else (state, limits, files) sits above it. */

import type { ZodType } from "zod";
import type { SandboxHelper } from "./sandbox-helper.ts";

/**
 * One process to start. `env` is the whole environment of the process, not an addition to ours. On another machine one without
 * PATH is no whole environment: it is added to what a login there gives.
 */
export interface StartOptions {
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** `none` is end-of-file at once; bytes are written and then the stream is closed. */
	readonly stdin: "none" | "pipe" | Uint8Array;
	readonly pty?: { readonly columns: number; readonly rows: number };
	/** Keeps standard error apart from the output and hands it over as `control`. Not together with `pty`. */
	readonly control?: true;
	/** The sandbox itself ends the process after this long, where it can: the way to it may be cut by then. */
	readonly deadlineSeconds?: number;
	/** The process is not ended when this program is killed, where the sandbox would do that. */
	readonly outlivesUs?: true;
	/** Aborting it before the process runs cancels the start; a running process is ended with `kill`. */
	readonly signal: AbortSignal;
}

/** A started process. Its standard output and standard error arrive merged, in the order they were written. */
export interface Running {
	readonly stdin?: WritableStream<Uint8Array>;
	/**
	 * Ends when everything the process itself wrote has been delivered. It never waits for a grandchild that still
	 * holds the pipe; what such a grandchild writes later is read and dropped, so that it gets no SIGPIPE.
	 */
	readonly output: ReadableStream<Uint8Array>;
	/** Standard error, when `control` asked for it; it ends like `output`. */
	readonly control?: ReadableStream<Uint8Array>;
	/** The exit code; 128 + signal number when a signal ended the process. */
	readonly exited: Promise<number>;
	/** Signals the whole process group. Without a signal: asks, waits, then forces, and resolves when the tree is gone. */
	kill(signal?: NodeJS.Signals): Promise<void>;
	/** Tells a process on a terminal that its window has another size, where that can be told. */
	resize?(size: { readonly columns: number; readonly rows: number }): void;
}

/** An opened place. Disposing it never uses the caller's signal: an interrupted session must still let its sandbox go. */
export interface Sandbox extends AsyncDisposable {
	/** Where commands run, as shown to the user and the model: `local`, `docker:4f2a…`, `ssh:me@box`. */
	readonly ranOn: string;
	/** What a helper inside adds, where one runs. */
	readonly helper?: SandboxHelper | undefined;
	/** A helper inside would be no faster: every word to it is a request to a service, and so is every question whether it said one. */
	readonly isSlowForHelpers?: true;
	/** @throws {BackendUnavailable} When the place itself is broken; a program that cannot be started exits 126 or 127. */
	start(argv: readonly string[], options: StartOptions): Promise<Running>;
}

/** One question that a backend cannot answer itself: a password, a one-time code, the passphrase of a key. */
export interface UserQuestion {
	readonly text: string;
	/** The answer must not be shown while it is typed, nor kept anywhere. */
	readonly isSecret: boolean;
	/** Takes the question back. */
	readonly signal?: AbortSignal;
}

/** A file or folder of this machine, and where a sandbox sees it; both absolute. */
export interface BoundPlace {
	readonly from: string;
	readonly to: string;
}

/** What a backend may need to know of the host when it opens. */
export interface OpenContext {
	readonly signal: AbortSignal;
	/** Names the sandbox where a backend keeps one per task. */
	readonly taskId: string;
	/** HERMES_HOME, absolute. */
	readonly home: string;
	/** The folder that the first session starts in, as the sandbox sees it; left out where none was chosen. */
	readonly cwd?: string;
	/** The host's environment, read once at start. */
	readonly hostEnvironment: Readonly<Record<string, string>>;
	/** What of this machine a sandbox that shares its disk sees besides, read-only. */
	readonly boundPlaces?: readonly BoundPlace[];
	/** Asks the person at the keyboard; undefined when they decline. Absent where nobody is there. */
	askUser?(question: UserQuestion): Promise<string | undefined>;
	/** One line of progress for a person to read (a pull, a sandbox that starts). */
	onProgress?(line: string): void;
}

/**
 * How the sandbox of one task begins and ends. `own`: it is made, and gone with its files when it is closed; when this process is killed
 * it stays for `heldDays`. `found`: the one that a killed process has left under the same task id, which stays. `ended`: the same, gone
 * when it is closed.
 */
export type ThrowawayLife = "own" | "found" | "ended";

/** How long what a killed process has left in the sandbox of one task waits for somebody who takes it over. */
export const heldDays = 7;

/** What a file in `lib/environments/` exports by default: one kind of place, by its name. */
export interface Backend<C = unknown> {
	/** The value of `terminal.backend`, and the name of the file. */
	readonly name: string;
	readonly description: string;
	readonly config: ZodType<C>;
	/** Whose files a command sees: the host's own, a bound part of them, or a copy that must be synchronised. */
	readonly files: "host" | "bind" | "sync";
	readonly pty: boolean;
	/**
	 * The settings of a sandbox that is one task's alone, without a folder that it could change in common with others. Left out where there
	 * is no such thing.
	 * @throws {SandboxGone} When one that a killed process has left cannot be found again on this backend.
	 */
	throwaway?(config: C, life: ThrowawayLife): C;
	/** How long closing a sandbox may take, where its files have to be saved first; 15 when left out. */
	readonly closeLimitSeconds?: number;
	/** How long the start-up files of a login there may take; 30 when left out. */
	readonly loginLimitSeconds?: number;
	/** `true`, or the reason why it cannot be used here. Cheap; starts nothing. */
	available(config: C, hostEnvironment: OpenContext["hostEnvironment"]): Promise<true | string>;
	/** @throws {BackendUnavailable} */
	open(config: C, context: OpenContext): Promise<Sandbox>;
}

/** Keeps the type of `config` while plug-in lists hold backends of any configuration. */
export function defineBackend<C>(backend: Backend<C>): Backend<C> {
	return backend;
}

/** The place where commands run is broken or cannot be reached. Never the output of a command. */
export class BackendUnavailable extends Error {
	override readonly name: string = "BackendUnavailable";
}

/** The sandbox that a killed process is said to have left is not there any more, and neither is what was in it. */
export class SandboxGone extends BackendUnavailable {
	override readonly name = "SandboxGone";
}

/**
 * The way to one process is lost, and whether it had finished is not known. What was left of it has been ended, and it is not
 * started again; the sandbox itself goes on.
 */
export class ProcessLost extends Error {
	override readonly name = "ProcessLost";
}
