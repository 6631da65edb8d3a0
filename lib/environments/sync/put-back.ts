/** Puts files that came from a sandbox into place on this machine: below the folder they belong to, and over nothing of the user's. */

import {
	chmodSync,
	constants,
	copyFileSync,
	lstatSync,
	mkdirSync,
	realpathSync,
	renameSync,
	type Stats,
} from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/attempt.ts";
import { type HomeFolders, writeRefusal } from "../../security/path-safety.ts";
import type { SentFile } from "./local-files.ts";
import type { ArrivedFile } from "./pull.ts";
import { hashOf } from "./read-local.ts";
import type { SyncTree } from "./sync-sources.ts";

/** What decides about it. */
export interface PutBackParts {
	/** What was sent, by the path on this machine. */
	readonly sent: ReadonlyMap<string, SentFile>;
	readonly trees: readonly SyncTree[];
	/** Ends the name of a file that stands beside the user's own: `<name>.remote-<id>`. */
	readonly id: string;
	readonly folders: HomeFolders;
}

/** What became of the files. */
export interface PutBackReport {
	/** Paths on this machine that are new or have new content. */
	readonly written: readonly string[];
	/** Paths of what was put beside a file that the user has changed or made. */
	readonly beside: readonly string[];
	/** One line for each that was not taken. */
	readonly refused: readonly string[];
	/** One line for each that could not be written; it is still where it arrived. */
	readonly failed: readonly string[];
}

/** New files can be read by others as far as they could there, and never be run: a sandbox gives nobody a program. */
const newFileModes = 0o644;
const ownersModes = 0o600;

/** Puts `files` into place, one after the other. */
export function putBack(files: readonly ArrivedFile[], parts: PutBackParts): PutBackReport {
	const report = { written: [] as string[], beside: [] as string[], refused: [] as string[], failed: [] as string[] };
	for (const file of files) {
		const done = attempt(() => putOne(file, parts));
		const name = JSON.stringify(file.to);
		if (!done.ok) report.failed.push(`${name}: ${done.reason}`);
		else if ("refused" in done.value) report.refused.push(`${name}: ${done.value.refused}`);
		else if (done.value.is !== "same") report[done.value.is].push(done.value.path);
	}
	return report;
}

type Put =
	| { readonly is: "same" }
	| { readonly is: "written" | "beside"; readonly path: string }
	| { readonly refused: string };

function putOne(file: ArrivedFile, parts: PutBackParts): Put {
	const place = placeOf(file.to, parts);
	if (typeof place === "string") return { refused: place };
	const { folder, name } = place;
	const target = join(folder, name);
	const refusal = writeRefusal(target, parts.folders);
	if (refusal !== undefined) return { refused: refusal };
	const existing = lstatSync(target, { throwIfNoEntry: false });
	if (existing !== undefined && !existing.isFile()) return { refused: "something else has its name here" };
	const verdict = compare(file, target, { existing, sent: sentTo(file.to, place.treePath, parts) });
	if (verdict === "same") return { is: "same" };
	const path = verdict === "written" ? target : freeName(`${target}.remote-${parts.id}`);
	const modes = existing === undefined ? (file.mode & newFileModes) | ownersModes : existing.mode & 0o777;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	chmodSync(file.path, modes);
	move(file.path, path);
	return { is: verdict, path };
}

/** The folder may be a link to another disk, where a rename does not reach. */
function move(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (cause) {
		if (!(cause instanceof Error && "code" in cause && cause.code === "EXDEV")) throw cause;
		const near = `${to}.${crypto.randomUUID().slice(0, 8)}.tmp`;
		copyFileSync(from, near, constants.COPYFILE_EXCL);
		renameSync(near, to);
	}
}

/** The user's version stays whenever it is not known to be the one that was sent. */
function compare(
	{ hash }: ArrivedFile,
	target: string,
	{ existing, sent }: { readonly existing: Stats | undefined; readonly sent: SentFile | undefined },
): "same" | "written" | "beside" {
	// One that was sent and deleted here since is not brought back over that.
	if (existing === undefined) return sent === undefined ? "written" : "beside";
	const here = hashOf(target);
	if (here === hash) return "same";
	if (sent === undefined) return "beside";
	const isUntouched = sent.hash === undefined ? isAsSent(existing, sent) : here === sent.hash;
	return isUntouched ? "written" : "beside";
}

function isAsSent({ size, mtimeMs }: Stats, sent: SentFile): boolean {
	return size === sent.size && mtimeMs === sent.modifiedMs;
}

interface Place {
	/** The folder to write to, links resolved. */
	readonly folder: string;
	readonly name: string;
	/** The path as the sources spell it. */
	readonly treePath: string;
}

/** Where a file belongs, or why it belongs nowhere. */
function placeOf(to: string, { trees }: PutBackParts): Place | string {
	const tree = trees.find(({ to: top, comesBack }) => comesBack && to.startsWith(`${top}/`));
	if (tree === undefined) return "it is in no folder that comes back";
	const parts = to.slice(tree.to.length + 1).split("/");
	if (parts.some((part) => part.startsWith("."))) return "hidden files are not brought back";
	const name = parts.pop() ?? "";
	// The root may be a link of the user's own; below it a link could lead anywhere.
	mkdirSync(tree.from, { recursive: true, mode: 0o700 });
	let folder = realpathSync(tree.from);
	for (const part of parts) {
		folder = join(folder, part);
		const facts = lstatSync(folder, { throwIfNoEntry: false });
		if (facts !== undefined && !facts.isDirectory()) return "its folder is something else here";
	}
	return { folder, name, treePath: [tree.from, ...parts, name].join("/") };
}

function sentTo(to: string, path: string, { sent }: PutBackParts): SentFile | undefined {
	const file = sent.get(path);
	return file?.to === to ? file : undefined;
}

function freeName(path: string): string {
	for (let count = 1; ; count++) {
		const candidate = count === 1 ? path : `${path}-${count}`;
		if (lstatSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate;
	}
}
