/** Making a checkpoint of one folder. */

import { posix } from "node:path";
import type { FilePlace } from "../place.ts";
import { numberField } from "../run-script.ts";
import { isSecretFile } from "./excludes.ts";
import { type CheckpointLimits, type CheckpointStore, folderKey, mostFiles } from "./limits.ts";
import { type CheckpointRefused, pathsField, runInStore } from "./run-in-store.ts";
import { takeScript } from "./scripts/take-script.ts";

/** What is kept, and why. */
export interface TakeOptions {
	/** Absolute, links followed. */
	readonly root: string;
	/** One line: what is about to happen. */
	readonly reason: string;
	readonly limits: CheckpointLimits;
	/** Absolute files that are kept although the folder leaves them out; files of secrets are not. */
	readonly files?: readonly string[];
	/** A commit whose files are about to be overwritten: all of them are kept, whatever their size. */
	readonly target?: string;
	/** The tree alone is made; nothing is added to the list. */
	readonly isTrial?: boolean;
	/** Files that a folder may have; 50,000 when left out. */
	readonly mostFiles?: number;
	now?(): number;
}

/** A folder as it is now. */
export interface Taken {
	readonly ok: true;
	readonly tree: string;
	/** The checkpoint that has this state; undefined for a trial. */
	readonly commit?: string;
	/** Nothing had changed since the last checkpoint, which has this state already. */
	readonly isUnchanged: boolean;
	/** Files that are not kept: too large, or not readable. One byte a character. */
	readonly skipped: readonly string[];
	/** There is more than the limits want, or nobody has cleared up for a day. */
	readonly isPruningDue: boolean;
}

const answerBytes = 16 * 1024 * 1024;
const mostLooseObjects = 6_000;
const dayMs = 86_400_000;
const megabyte = 1024 * 1024;

/**
 * Keeps `options.root` as it is now.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function takeCheckpoint(
	place: FilePlace,
	store: CheckpointStore,
	options: TakeOptions,
): Promise<Taken | CheckpointRefused> {
	const { root, limits, target = "", isTrial = false, files = [] } = options;
	const now = options.now?.() ?? Date.now();
	const most = options.mostFiles ?? mostFiles;
	const id = isTrial ? "-" : checkpointId(now, crypto.randomUUID().slice(0, 8));
	const sizes = [limits.maxFileMegabytes * megabyte, most, limits.maxSnapshots].map(String);
	const kept = files.filter((file) => !isSecretFile(posix.basename(file)));
	const call = {
		act: `keep "${root}"`,
		script: takeScript,
		args: [
			root,
			folderKey(root),
			id,
			String(Math.floor(now / 1_000)),
			oneLine(options.reason),
			...sizes,
			oldestId(limits, now),
			target,
			...kept,
		],
		timeoutSeconds: limits.timeoutSeconds * 2,
		answerBytes,
	};
	const answer = await runInStore(place, store, call);
	if (!answer.ok) return answer;
	const { fields } = answer;
	const tooMany = fields.get("too_many");
	if (tooMany !== undefined) {
		const error = `Cannot keep "${root}": it has ${Number(tooMany)} files, ${most} are the limit`;
		return { ok: false, code: "too_many", error };
	}
	const commit = fields.get("commit") ?? fields.get("unchanged");
	return {
		ok: true,
		tree: fields.get("tree") ?? "",
		...(commit !== undefined && { commit }),
		isUnchanged: fields.has("unchanged"),
		skipped: pathsField(fields, "skipped"),
		isPruningDue: fields.has("commit") && isPruningDue(fields, limits, now),
	};
}

/** Names of checkpoints sort by their time. */
function checkpointId(time: number, suffix: string): string {
	return `${String(time).padStart(15, "0")}-${suffix}`;
}

/** Checkpoints whose id is smaller are too old; empty when none is. */
export function oldestId({ retentionDays }: CheckpointLimits, now: number): string {
	return retentionDays === 0 ? "" : checkpointId(Math.max(0, now - retentionDays * dayMs), "");
}

function isPruningDue(
	fields: ReadonlyMap<string, string>,
	{ maxTotalMegabytes }: CheckpointLimits,
	now: number,
): boolean {
	const counts = new Map(
		[...(fields.get("objects") ?? "").matchAll(/([\w-]+): (\d+)/g)].map(([, name = "", value]) => [
			name,
			Number(value),
		]),
	);
	const kilobytes = (counts.get("size") ?? 0) + (counts.get("size-pack") ?? 0);
	const isLarge = kilobytes > maxTotalMegabytes * 1024;
	const isLoose = (counts.get("count") ?? 0) > mostLooseObjects;
	return isLarge || isLoose || now - numberField(fields, "pruned") * 1_000 > dayMs;
}

/** The subject of a commit: what a model has put into it must not look like something else in a list. */
function oneLine(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
	const line = text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
	return (line.length > 200 ? `${line.slice(0, 199)}…` : line).toWellFormed() || "checkpoint";
}
