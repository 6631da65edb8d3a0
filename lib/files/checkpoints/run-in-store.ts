/** Running a script of checkpoints, and the ways in which it may say no. */

import { reasonOf } from "../../base/attempt.ts";
import { BackendUnavailable } from "../../environments/backend.ts";
import type { FilePlace } from "../place.ts";
import { bytesField, runScript, type ScriptCall } from "../run-script.ts";
import type { CheckpointStore } from "./limits.ts";

/** What did not happen, and why. */
export interface CheckpointRefused {
	readonly ok: false;
	/** `no_git`: there is no git in the place. `too_many`: the folder has too many files. `too_slow`: the time was over. */
	readonly code: "no_git" | "too_many" | "too_slow" | "not_found" | "failed";
	/** One line. */
	readonly error: string;
}

/** What a script of checkpoints emitted. */
export interface StoreAnswer {
	readonly ok: true;
	readonly fields: ReadonlyMap<string, string>;
}

/** A script, and what it is given besides the store. */
export interface StoreCall extends Omit<ScriptCall, "timeoutSeconds"> {
	readonly timeoutSeconds: number;
	/** What is being done, for messages: `keep "/a/b"`. */
	readonly act: string;
}

/**
 * Runs `call` in `place`.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function runInStore(
	place: FilePlace,
	{ folder = "", git = "git" }: CheckpointStore,
	{ act, args, ...call }: StoreCall,
): Promise<StoreAnswer | CheckpointRefused> {
	const refused = (error: string): CheckpointRefused => ({
		ok: false,
		code: "failed",
		error: `Cannot ${act}: ${error}`,
	});
	try {
		const { fields, timedOut } = await runScript(place, { ...call, args: [folder, git, ...args] });
		if (timedOut) return { ...refused(`it took longer than ${call.timeoutSeconds} seconds`), code: "too_slow" };
		if (fields.has("no_git")) return { ok: false, code: "no_git", error: `Cannot ${act}: there is no git` };
		const failed = fields.get("failed");
		return failed === undefined ? { ok: true, fields } : refused(failed.replace(/\s+/g, " ").trim());
	} catch (cause) {
		if (cause instanceof BackendUnavailable) throw cause;
		return refused(reasonOf(cause));
	}
}

/** The paths that a script emitted under `key`. Names need not be UTF-8: every character stands for one byte. */
export function pathsField(fields: ReadonlyMap<string, string>, key: string): string[] {
	return splitPaths(Buffer.from(bytesField(fields, key)).toString("latin1"));
}

/** Texts that are each ended by a NUL. */
export function splitPaths(text: string): string[] {
	return text.split("\0").filter((path) => path !== "");
}

/** The bytes of `paths`, each ended by a NUL. */
export function joinPaths(paths: readonly string[]): Uint8Array {
	return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** A path of one byte a character as people read it. */
export function shownPath(path: string): string {
	return Buffer.from(path, "latin1").toString("utf8");
}

/** The other way round. */
export function bytePath(path: string): string {
	return Buffer.from(path, "utf8").toString("latin1");
}
