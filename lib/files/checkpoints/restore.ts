/** Bringing a folder, or one file of it, back to a checkpoint. */

import { posix } from "node:path";
import { isAtOrBelow } from "../../security/path-safety.ts";
import type { FilePlace } from "../place.ts";
import { runScript } from "../run-script.ts";
import { diffBetween } from "./compare.ts";
import type { Checkpoint } from "./history.ts";
import type { CheckpointLimits, CheckpointStore } from "./limits.ts";
import {
	bytePath,
	type CheckpointRefused,
	joinPaths,
	pathsField,
	runInStore,
	shownPath,
	splitPaths,
} from "./run-in-store.ts";
import { removeScript, writeBackScript } from "./scripts/restore-scripts.ts";
import { takeCheckpoint } from "./take.ts";

/** What is brought back. */
export interface RestoreOptions {
	readonly root: string;
	/** One of the checkpoints of `root`. */
	readonly checkpoint: Checkpoint;
	readonly limits: CheckpointLimits;
	/** Files and folders of `root`, relative; everything when left out. */
	readonly paths?: readonly string[];
	/** Removes files that were made later. */
	readonly deleteNew?: boolean;
}

/** What was done. Paths are relative to the folder. */
export interface Restored {
	readonly ok: true;
	/** Files that have their old content again. */
	readonly restored: readonly string[];
	readonly deleted: readonly string[];
	/** Files that were made later and are still there. */
	readonly newer: readonly string[];
	/** Files that could not be brought back: something else is in their place. */
	readonly blocked: readonly string[];
	/** The checkpoint of the folder as it was before. */
	readonly before: string;
	/** Why something went wrong on the way. */
	readonly warning?: string;
}

interface Plan {
	/** Files of the checkpoint that are different now, or gone. */
	readonly write: readonly string[];
	/** Files that the checkpoint does not have. */
	readonly newer: readonly string[];
}

const answerBytes = 16 * 1024 * 1024;
/** What every git knows by this name. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Keeps the folder as it is, then brings it back. Files that no checkpoint covers (see excludes.ts, `.gitignore`) are left
 * alone, and never removed.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function restoreCheckpoint(
	place: FilePlace,
	store: CheckpointStore,
	options: RestoreOptions,
): Promise<Restored | CheckpointRefused> {
	const {
		root,
		limits,
		checkpoint: { hash },
	} = options;
	const wanted = wantedPaths(options);
	if (!Array.isArray(wanted)) return wanted;
	// Before anything is kept: a refusal leaves the list as the user has seen it.
	const unknown = await unknownPath(place, store, { ...options, paths: wanted });
	if (unknown !== undefined) return unknown;
	const reason = `before restoring ${hash.slice(0, 8)}`;
	const before = await takeCheckpoint(place, store, { root, limits, reason, target: hash });
	if (!before.ok) return before;
	const diff = await diffBetween(place, store, { from: before.tree, to: hash, form: "raw", limits });
	if (!diff.ok) return diff;
	const plan = planOf(diff.bytes.toString("latin1"), wanted);
	const problem = await carryOut(place, store, { options, plan });
	if (typeof problem === "object") return problem;
	const after = await planNow(place, store, options);
	if (!after.ok) return after;
	const stillDifferent = new Set(after.plan.write);
	const stillThere = new Set(after.plan.newer);
	return {
		ok: true,
		restored: plan.write.filter((path) => !stillDifferent.has(path)).map(shownPath),
		deleted: plan.newer.filter((path) => !stillThere.has(path)).map(shownPath),
		newer: plan.newer.filter((path) => stillThere.has(path)).map(shownPath),
		blocked: plan.write.filter((path) => stillDifferent.has(path)).map(shownPath),
		before: before.commit ?? "",
		...(problem !== "" && { warning: problem }),
	};
}

/** The paths as git has them; undefined stands for all. */
function wantedPaths({ root, paths }: RestoreOptions): string[] | CheckpointRefused {
	const wanted: string[] = [];
	for (const asked of paths ?? []) {
		const path = posix.relative(root, posix.resolve(root, asked));
		if (path === ".." || path.startsWith("../")) return refusedPath(asked, `it is not inside of "${root}"`);
		if (asked.includes("\0")) return refusedPath(asked, "it has a NUL in it");
		wanted.push(bytePath(path));
	}
	return wanted.includes("") ? [] : wanted;
}

function refusedPath(path: string, state: string): CheckpointRefused {
	return { ok: false, code: "not_found", error: `Cannot restore "${path}": ${state}` };
}

function planOf(raw: string, wanted: readonly string[]): Plan {
	const fields = splitPaths(raw);
	const write: string[] = [];
	const newer: string[] = [];
	for (let at = 0; at + 1 < fields.length; at += 2) {
		const path = fields[at + 1] ?? "";
		if (wanted.length > 0 && !wanted.some((one) => isAtOrBelow(path, one))) continue;
		(fields[at]?.endsWith(" D") ? newer : write).push(path);
	}
	return { write, newer };
}

/** Refuses the first of `paths` that neither the checkpoint nor the folder has; undefined when there is none. */
async function unknownPath(
	place: FilePlace,
	store: CheckpointStore,
	options: RestoreOptions & { readonly paths: readonly string[] },
): Promise<CheckpointRefused | undefined> {
	const { checkpoint, limits, paths } = options;
	if (paths.length === 0) return undefined;
	const all = await diffBetween(place, store, { from: emptyTree, to: checkpoint.hash, form: "raw", limits });
	if (!all.ok) return all;
	const known = planOf(all.bytes.toString("latin1"), []).write;
	const isIn = (files: readonly string[], one: string) => files.some((path) => isAtOrBelow(path, one));
	const others = paths.filter((one) => !isIn(known, one));
	if (others.length === 0) return undefined;
	const now = await planNow(place, store, options);
	if (!now.ok) return now;
	const missing = others.find((one) => !isIn(now.plan.newer, one));
	if (missing === undefined) return undefined;
	return refusedPath(shownPath(missing), `checkpoint ${checkpoint.hash.slice(0, 8)} does not have it`);
}

/** What would have to be done now; nothing that is asked for is kept. */
async function planNow(
	place: FilePlace,
	store: CheckpointStore,
	{ root, limits, checkpoint: { hash } }: RestoreOptions,
): Promise<{ readonly ok: true; readonly plan: Plan } | CheckpointRefused> {
	const now = await takeCheckpoint(place, store, { root, limits, reason: "", target: hash, isTrial: true });
	if (!now.ok) return now;
	const diff = await diffBetween(place, store, { from: now.tree, to: hash, form: "raw", limits });
	return diff.ok ? { ok: true, plan: planOf(diff.bytes.toString("latin1"), []) } : diff;
}

/** Writes and removes; answers what was complained about on the way, or why nothing was done. */
async function carryOut(
	place: FilePlace,
	store: CheckpointStore,
	{ options, plan }: { readonly options: RestoreOptions; readonly plan: Plan },
): Promise<string | CheckpointRefused> {
	const { root, limits, checkpoint, deleteNew = false } = options;
	const call = { act: `restore "${root}"`, timeoutSeconds: limits.timeoutSeconds * 3, answerBytes };
	// What was made later may stand where an old file belongs; it goes first when it may go at all.
	const first = deleteNew ? inTheWay(plan) : [];
	const written = joinPaths(plan.write);
	const answer = await runInStore(place, store, {
		...call,
		script: writeBackScript,
		args: [root, checkpoint.hash, String(written.length)],
		stdin: Buffer.concat([written, joinPaths(first)]),
	});
	if (!answer.ok) return answer;
	if (deleteNew) {
		const known = new Set(pathsField(answer.fields, "others"));
		const skipped = new Set(checkpoint.skipped.map((path) => path.replace(/^\.\//, "")));
		// By the rules of that time a file may have been there without being kept.
		const removable = plan.newer.filter((path) => known.has(path) && !skipped.has(path));
		await runScript(place, { script: removeScript, args: [root], stdin: joinPaths(removable) });
	}
	return (answer.fields.get("said") ?? "").replace(/\s+/g, " ").trim();
}

/** Of the newer files those below a path that is written, or in the place of a folder on its way. */
function inTheWay({ write, newer }: Plan): readonly string[] {
	const written = new Set(write);
	const folders = new Set(write.flatMap(parentsOf));
	return newer.filter((path) => folders.has(path) || parentsOf(path).some((parent) => written.has(parent)));
}

/** `a` and `a/b` for `a/b/c`. */
function parentsOf(path: string): string[] {
	const names = path.split("/");
	return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}
