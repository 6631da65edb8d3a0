/** What one task sees of the background processes: its own, to start, look at and remove. */

import type { BackgroundProcess } from "./background-process.ts";
import type { ModelText } from "./model-text.ts";
import type { TerminalSize } from "./process-record.ts";

/** A process to start in the background. */
export interface StartRequest {
	readonly command: string;
	/** Absolute. */
	readonly cwd: string;
	readonly terminal?: TerminalSize | undefined;
	readonly notify?: boolean | undefined;
	readonly patterns?: readonly string[] | undefined;
	/** The state of its shell becomes the session's when it is removed with `take`. */
	readonly keepsState?: boolean | undefined;
}

/** What came of it. */
export type Started =
	| { readonly ok: true; readonly process: BackgroundProcess }
	| { readonly ok: false; readonly why: string };

/** The processes of one task. */
export interface ProcessDesk {
	readonly text: ModelText;
	/** @throws {BackendUnavailable} */
	start(request: StartRequest, signal: AbortSignal): Promise<Started>;
	list(): readonly BackgroundProcess[];
	/** Undefined for what another task started, too. */
	get(id: string): BackgroundProcess | undefined;
	/** Its end has been seen: it is not told again. Also keeps how far it was read. */
	seen(process: BackgroundProcess): void;
	/** Removes one that has ended; the session takes in what its shell left, where that was asked for. */
	take(process: BackgroundProcess): Promise<void>;
}
