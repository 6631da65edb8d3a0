/** What has changed in a folder since a checkpoint. */

import type { FilePlace } from "../place.ts";
import { bytesField } from "../run-script.ts";
import type { CheckpointLimits, CheckpointStore } from "./limits.ts";
import { type CheckpointRefused, runInStore } from "./run-in-store.ts";
import { diffScript } from "./scripts/history-scripts.ts";
import { takeCheckpoint } from "./take.ts";

/** Which comparison. */
export interface CompareOptions {
	readonly root: string;
	readonly hash: string;
	readonly limits: CheckpointLimits;
	readonly form: "patch" | "stat";
	/** One file or folder of `root`, relative. */
	readonly path?: string;
}

/** A comparison as git prints it. */
export interface Comparison {
	readonly ok: true;
	readonly text: string;
	/** The text was too long and ends early. */
	readonly isCut: boolean;
}

const longestDiff = 4 * 1024 * 1024;

/**
 * The way from the checkpoint to the folder as it is now. Nothing in the folder is touched.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function compareWithNow(
	place: FilePlace,
	store: CheckpointStore,
	{ root, hash, limits, form, path }: CompareOptions,
): Promise<Comparison | CheckpointRefused> {
	const now = await takeCheckpoint(place, store, { root, limits, reason: "", target: hash, isTrial: true });
	if (!now.ok) return now;
	const answer = await diffBetween(place, store, { from: hash, to: now.tree, form, path, limits });
	if (!answer.ok) return answer;
	const { bytes } = answer;
	return { ok: true, text: bytes.toString("utf8"), isCut: bytes.length >= longestDiff };
}

/** What stands between two trees or commits. */
export interface DiffOptions {
	readonly from: string;
	readonly to: string;
	readonly form: "patch" | "stat" | "raw";
	readonly path?: string | undefined;
	readonly limits: CheckpointLimits;
}

/** git's own text. @throws {BackendUnavailable} When the sandbox is broken. */
export async function diffBetween(
	place: FilePlace,
	store: CheckpointStore,
	{ from, to, form, path, limits }: DiffOptions,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | CheckpointRefused> {
	const answer = await runInStore(place, store, {
		act: "compare",
		script: diffScript,
		args: [from, to, `--${form}`, String(form === "raw" ? longestDiff * 4 : longestDiff), ...pathArguments(path)],
		timeoutSeconds: limits.timeoutSeconds,
		answerBytes: longestDiff * 6,
	});
	return answer.ok ? { ok: true, bytes: Buffer.from(bytesField(answer.fields, "diff")) } : answer;
}

function pathArguments(path: string | undefined): string[] {
	return path === undefined ? [] : ["--", path];
}
