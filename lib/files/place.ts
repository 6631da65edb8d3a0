/** Where files are: whatever the session's shell reaches, never the host's disk directly. */

import type { LoadedConfig } from "../config/load.ts";
import type { ExecuteOptions, Outcome } from "../environments/outcome.ts";
import type { ReadDirectly } from "../environments/shell/read-directly.ts";
import type { FileState } from "./file-state.ts";

/** The part of a tool's context that file operations need. */
export interface FilePlace {
	/** Runs a command in the session's shell, in the session's folder. */
	execute(command: string, options?: Partial<ExecuteOptions>): Promise<Outcome>;
	/** Reads a file without a process, where that can be done. */
	readonly readDirectly?: ReadDirectly;
	/** What agents know of files; without it every change is taken for one that knows what it does. */
	readonly fileState?: FileState;
	/** A script asks, not the model: what it gets is not seen by the model. */
	readonly isScript?: boolean;
	/** Where changes may be made, among others. */
	readonly settings?: Pick<LoadedConfig, "variables">;
	/** The agent. */
	readonly sessionId?: string;
	/** The session's folder, absolute, as the place sees it. */
	readonly cwd?: string;
	/** Files of other profiles and copies of homes are meant. */
	readonly crossProfile?: boolean;
	/** Names the place, so that equal paths of different places are different files. */
	readonly ranOn?: string;
}

/** A file operation that did not happen, and why, in one line for the model. */
export interface FileRefused {
	readonly ok: false;
	readonly error: string;
	/** Further keys of the answer, as the model knows them. */
	readonly details?: Readonly<Record<string, unknown>>;
}
