/** Finds what changed in the sources since it was last sent: one walk, and nothing else when nothing changed. */

import { lstatSync, readdirSync, type Stats } from "node:fs";
import { hashOf } from "./read-local.ts";
import type { SyncSources } from "./sync-sources.ts";

/** What a file was when it was looked at; equal signatures, equal content, but for files that are `isFresh`. */
export interface Signature {
	readonly size: number;
	readonly modifiedMs: number;
	/** Permission bits as they are sent. */
	readonly mode: number;
}

/** A file that is to be sent. */
export interface LocalFile extends Signature {
	readonly path: string;
	/** Its place below `.hermes`. */
	readonly to: string;
}

/** A file that the sandbox has, or that could not be sent and need not be tried again. */
export interface SentFile extends Signature {
	readonly to: string;
	/** Hex SHA-256 of what was sent, where it is known. */
	readonly hash?: string;
	/** It was written so shortly before that it may change again without its time showing it. */
	readonly isFresh: boolean;
	readonly isThere: boolean;
}

/** What was found. */
export interface Changes {
	readonly changed: readonly LocalFile[];
	/** Paths of this machine that were sent and are not among the sources any more. */
	readonly gone: readonly string[];
}

/** The rule of git's index, with room for file systems that count in seconds. */
const freshMs = 2_000;

/** Whether a file with this time can still change within the tick of its clock. */
export function isFresh(modifiedMs: number, nowMs: number): boolean {
	return modifiedMs > nowMs - freshMs;
}

/** Bits that are sent: set-id bits, and what others may write, are nobody's business in a sandbox. */
export const sentModes = 0o755;

interface Known {
	file: SentFile;
	seen: number;
}

/** What was sent, by the path on this machine. */
export class LocalFiles {
	readonly #known = new Map<string, Known>();
	/** Who has which place. */
	readonly #owners = new Map<string, string>();
	#round = 0;

	/** The files that the sandbox has, by their path here. */
	get sent(): Map<string, SentFile> {
		const there = [...this.#known].filter(([, { file }]) => file.isThere);
		return new Map(there.map(([path, { file }]) => [path, file]));
	}

	/** The place that a file has in the sandbox. */
	sentAs(path: string): string | undefined {
		const file = this.#known.get(path)?.file;
		return file?.isThere ? file.to : undefined;
	}

	/** Compares the sources with what was sent. Files that cannot be looked at are left out: they may just have gone. */
	changes({ files, trees }: SyncSources, nowMs: number): Changes {
		this.#round++;
		const walk: Walk = { nowMs, changed: [], seen: 0 };
		for (const { from, to } of files) {
			const facts = factsOf(from);
			if (facts?.isFile() && !this.#isSent(from, facts, walk)) walk.changed.push(localFile(from, to, facts));
		}
		for (const { from, to } of trees) this.#walk(from, to, walk);
		const gone = walk.seen === this.#known.size ? [] : this.#unseen();
		return { changed: this.#unclaimed(walk.changed), gone };
	}

	/** Notes what the sandbox has of a file now. */
	note(path: string, file: SentFile): void {
		this.#known.set(path, { file, seen: this.#round });
		this.#owners.set(file.to, path);
	}

	/** Notes that the sandbox has nothing of it any more. */
	forget(path: string): void {
		const known = this.#known.get(path);
		this.#known.delete(path);
		if (known !== undefined && this.#owners.get(known.file.to) === path) this.#owners.delete(known.file.to);
	}

	#walk(folder: string, to: string, walk: Walk): void {
		for (const name of namesIn(folder)) {
			const path = `${folder}/${name}`;
			const facts = factsOf(path);
			if (facts === undefined) continue;
			if (facts.isDirectory()) this.#walk(path, `${to}/${name}`, walk);
			else if (facts.isFile() && !this.#isSent(path, facts, walk)) {
				walk.changed.push(localFile(path, `${to}/${name}`, facts));
			}
		}
	}

	#isSent(path: string, facts: Stats, walk: Walk): boolean {
		const known = this.#known.get(path);
		if (known === undefined) return false;
		if (known.seen !== this.#round) walk.seen++;
		known.seen = this.#round;
		const { file } = known;
		const isSame =
			file.size === facts.size && file.modifiedMs === facts.mtimeMs && file.mode === (facts.mode & sentModes);
		return isSame && !(file.isFresh && hasChangedInTime(path, known, walk.nowMs));
	}

	#unseen(): string[] {
		return [...this.#known].filter(([, { seen }]) => seen !== this.#round).map(([path]) => path);
	}

	/** The first of those that want the same place; names with a line break cannot be sent. */
	#unclaimed(files: readonly LocalFile[]): LocalFile[] {
		const claimed = new Set<string>();
		return files.filter(({ path, to }) => {
			const owner = this.#owners.get(to) ?? path;
			const isTaken = owner !== path && this.#known.get(owner)?.seen === this.#round;
			if (isTaken || claimed.has(to) || to.includes("\n")) return false;
			claimed.add(to);
			return true;
		});
	}
}

interface Walk {
	readonly nowMs: number;
	readonly changed: LocalFile[];
	/** Files that were known before. */
	seen: number;
}

/** Whether a fresh file has another content than was sent; once it is old enough it is looked at no more. */
function hasChangedInTime(path: string, known: Known, nowMs: number): boolean {
	if (hashOf(path) !== known.file.hash) return true;
	if (!isFresh(known.file.modifiedMs, nowMs)) known.file = { ...known.file, isFresh: false };
	return false;
}

function localFile(path: string, to: string, { size, mtimeMs, mode }: Stats): LocalFile {
	return { path, to, size, modifiedMs: mtimeMs, mode: mode & sentModes };
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function factsOf(path: string): Stats | undefined {
	try {
		return lstatSync(path);
	} catch {
		return undefined;
	}
}
