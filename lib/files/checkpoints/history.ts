/** The checkpoints of one folder, and of all folders. */

import type { FilePlace } from "../place.ts";
import { bytesField, numberField } from "../run-script.ts";
import { type CheckpointStore, folderKey } from "./limits.ts";
import { type CheckpointRefused, runInStore } from "./run-in-store.ts";
import { listScript, statusScript } from "./scripts/history-scripts.ts";

/** One checkpoint. */
export interface Checkpoint {
	/** The whole id. */
	readonly hash: string;
	/** Milliseconds since 1970. */
	readonly takenAt: number;
	/** What was about to happen. */
	readonly reason: string;
	/** What had changed since the checkpoint before it; undefined for the oldest one. */
	readonly changes?: { readonly files: number; readonly insertions: number; readonly deletions: number };
	/** Files that it does not have because they were too large or not readable, one byte a character. */
	readonly skipped: readonly string[];
}

/** The checkpoints of one folder. */
export interface History {
	readonly ok: true;
	/** Newest first. */
	readonly checkpoints: readonly Checkpoint[];
	/** Names the folder inside the store. */
	readonly key: string;
}

const listSeconds = 60;
const answerBytes = 16 * 1024 * 1024;

/**
 * The checkpoints of `root`; none when nothing was ever kept.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function listCheckpoints(
	place: FilePlace,
	store: CheckpointStore,
	{ root, withChanges = false }: { readonly root: string; readonly withChanges?: boolean },
): Promise<History | CheckpointRefused> {
	const key = folderKey(root);
	const answer = await runInStore(place, store, {
		act: `list the checkpoints of "${root}"`,
		script: listScript,
		args: [key, withChanges ? "1" : ""],
		timeoutSeconds: listSeconds,
		answerBytes,
	});
	if (!answer.ok) return answer;
	const { fields } = answer;
	const records = Buffer.from(bytesField(fields, "refs")).toString("utf8").split("\0");
	const checkpoints: Checkpoint[] = [];
	for (let at = 0; at + 3 < records.length; at += 4) {
		const [hash = "", , reference = "", message = ""] = records.slice(at, at + 4).map((field, index) =>
			// for-each-ref ends every line, and so the next one begins, with a line end.
			index === 0 ? field.trim() : field,
		);
		const changes = changesIn(fields.get(`${hash}.stat`));
		checkpoints.push({ hash, ...partsOf(reference, message), ...(changes !== undefined && { changes }) });
	}
	return { ok: true, checkpoints: checkpoints.reverse(), key };
}

function partsOf(reference: string, message: string): Pick<Checkpoint, "takenAt" | "reason" | "skipped"> {
	const [reason = "", , , ...rest] = message.split("\n");
	const skipped = Buffer.from(rest.join(""), "base64").toString("latin1").split("\0");
	return { takenAt: timeOf(reference), reason, skipped: skipped.filter((path) => path !== "") };
}

function timeOf(reference: string): number {
	return Number.parseInt(/(\d+)-[^/]*$/.exec(reference)?.[1] ?? "0", 10);
}

function changesIn(stat: string | undefined): Checkpoint["changes"] {
	if (stat === undefined) return undefined;
	const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(stat)?.[1] ?? 0);
	return { files: count("files? changed"), insertions: count("insertion"), deletions: count("deletion") };
}

/** A folder that has checkpoints. */
export interface KeptFolder {
	readonly root: string;
	/** Whether it is still there. */
	readonly exists: boolean;
	readonly count: number;
	/** When the newest one was made, in milliseconds since 1970. */
	readonly newestAt: number;
}

/** Everything that is kept in one place. */
export interface StoreStatus {
	readonly ok: true;
	/** `git version 2.39.5`. */
	readonly git: string;
	readonly folder: string;
	readonly kilobytes: number;
	readonly folders: readonly KeptFolder[];
}

/**
 * What is kept, of every folder.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function storeStatus(place: FilePlace, store: CheckpointStore): Promise<StoreStatus | CheckpointRefused> {
	const answer = await runInStore(place, store, {
		act: "look at the checkpoints",
		script: statusScript,
		args: [],
		timeoutSeconds: listSeconds,
		answerBytes,
	});
	if (!answer.ok) return answer;
	const { fields } = answer;
	const folders = Array.from({ length: numberField(fields, "projects") }, (_, index): KeptFolder => {
		const field = (name: string) => fields.get(`${index + 1}.${name}`);
		return {
			root: field("root") ?? "",
			exists: field("exists") === "1",
			count: numberField(fields, `${index + 1}.count`),
			newestAt: timeOf(field("newest") ?? ""),
		};
	});
	return {
		ok: true,
		git: fields.get("version") ?? "",
		folder: fields.get("base") ?? "",
		kilobytes: numberField(fields, "kilobytes"),
		folders,
	};
}

/**
 * The one of `checkpoints` that `asked` names: its place in the list, counted from 1 for the newest, or the beginning of its
 * id. Text that is neither never reaches git.
 */
export function findCheckpoint(checkpoints: readonly Checkpoint[], asked: string): Checkpoint | CheckpointRefused {
	const refused = (state: string): CheckpointRefused => ({
		ok: false,
		code: "not_found",
		error: `Cannot use checkpoint "${asked}": ${state}`,
	});
	if (/^[1-9]\d{0,2}$/.test(asked)) {
		return checkpoints[Number(asked) - 1] ?? refused(`there are ${checkpoints.length}`);
	}
	if (!/^[0-9a-f]{4,64}$/.test(asked)) return refused("an id has 4 or more of 0-9 and a-f");
	const found = checkpoints.filter(({ hash }) => hash.startsWith(asked));
	const [only] = found;
	if (only === undefined) return refused("this folder has none with that id");
	return found.length === 1 ? only : refused(`${found.length} ids begin like that`);
}
