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
	readonly path: string;
	file: SentFile;
	seen: number;
}

/** What was sent, by folder and name: a look at thousands of files need not make thousands of long texts. */
export class LocalFiles {
	readonly #folders = new Map<string, Map<string, Known>>();
	/** Who has which place. */
	readonly #owners = new Map<string, string>();
	#count = 0;
	#round = 0;

	/** The files that the sandbox has, by their path here. */
	get sent(): Map<string, SentFile> {
		const there = this.#all().filter(({ file }) => file.isThere);
		return new Map(there.map(({ path, file }) => [path, file]));
	}

	/** The place that a file has in the sandbox. */
	sentAs(path: string): string | undefined {
		const file = this.#find(path)?.file;
		return file?.isThere ? file.to : undefined;
	}

	/** Compares the sources with what was sent. Files that cannot be looked at are left out: they may just have gone. */
	changes({ files, trees }: SyncSources, nowMs: number): Changes {
		this.#round++;
		const walk: Walk = { nowMs, changed: [], seen: 0 };
		for (const { from, to } of files) {
			const facts = factsOf(from);
			if (!facts?.isFile() || this.#isSent(this.#find(from), facts, walk)) continue;
			walk.changed.push(localFile(from, to, facts));
		}
		for (const { from, to } of trees) this.#walk(from, to, walk);
		const gone = walk.seen === this.#count ? [] : this.#unseen();
		return { changed: this.#unclaimed(walk.changed), gone };
	}

	/** Notes what the sandbox has of a file now. */
	note(path: string, file: SentFile): void {
		this.forget(path);
		const { folder, name } = partsOf(path);
		const known = this.#folders.get(folder) ?? new Map<string, Known>();
		this.#folders.set(folder, known.set(name, { path, file, seen: this.#round }));
		this.#owners.set(file.to, path);
		this.#count++;
	}

	/** Notes that the sandbox has nothing of it any more. */
	forget(path: string): void {
		const known = this.#find(path);
		if (known === undefined) return;
		const { folder, name } = partsOf(path);
		this.#folders.get(folder)?.delete(name);
		this.#count--;
		if (this.#owners.get(known.file.to) === path) this.#owners.delete(known.file.to);
	}

	#walk(folder: string, to: string, walk: Walk): void {
		const inFolder = this.#folders.get(folder);
		for (const name of namesIn(folder)) {
			const known = inFolder?.get(name);
			const path = known?.path ?? `${folder}/${name}`;
			const facts = factsOf(path);
			if (facts === undefined) continue;
			if (facts.isFile()) {
				if (!this.#isSent(known, facts, walk)) walk.changed.push(localFile(path, `${to}/${name}`, facts));
			} else if (facts.isDirectory()) this.#walk(path, `${to}/${name}`, walk);
		}
	}

	#isSent(known: Known | undefined, facts: Stats, walk: Walk): boolean {
		if (known === undefined) return false;
		if (known.seen !== this.#round) walk.seen++;
		known.seen = this.#round;
		const { file } = known;
		const isSame =
			file.size === facts.size && file.modifiedMs === facts.mtimeMs && file.mode === (facts.mode & sentModes);
		return isSame && !(file.isFresh && hasChangedInTime(known, walk.nowMs));
	}

	#find(path: string): Known | undefined {
		const { folder, name } = partsOf(path);
		return this.#folders.get(folder)?.get(name);
	}

	#all(): Known[] {
		return [...this.#folders.values()].flatMap((folder) => [...folder.values()]);
	}

	#unseen(): string[] {
		return this.#all().flatMap(({ path, seen }) => (seen === this.#round ? [] : [path]));
	}

	/** The first of those that want the same place; names with a line break cannot be sent. */
	#unclaimed(files: readonly LocalFile[]): LocalFile[] {
		const claimed = new Set<string>();
		return files.filter(({ path, to }) => {
			const owner = this.#owners.get(to) ?? path;
			const isTaken = owner !== path && this.#find(owner)?.seen === this.#round;
			if (isTaken || claimed.has(to) || to.includes("\n")) return false;
			claimed.add(to);
			return true;
		});
	}
}

function partsOf(path: string): { readonly folder: string; readonly name: string } {
	const slash = path.lastIndexOf("/");
	return { folder: path.slice(0, slash), name: path.slice(slash + 1) };
}

interface Walk {
	readonly nowMs: number;
	readonly changed: LocalFile[];
	/** Files that were known before. */
	seen: number;
}

/** Whether a fresh file has another content than was sent; once it is old enough it is looked at no more. */
function hasChangedInTime(known: Known, nowMs: number): boolean {
	if (hashOf(known.path) !== known.file.hash) return true;
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
