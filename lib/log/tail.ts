/** Reads a log with its rotated files: the last entries, and then what is still to come. */

import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { type FileLock, tryFileLock } from "../base/file-lock.ts";
import { parseHead } from "./line.ts";
import { backupPath, rotationLock } from "./rotating-file.ts";
import { createLineFilter, type LineFilter, type Selection } from "./select.ts";

/** The lines of the last `count` wanted entries of the log `path`, oldest first. A log that is not there has none. */
export function readTail(path: string, count: number, selection: Selection = {}): string[] {
	return tailOf(path, { count, selection });
}

/** `bytes` is how much of the current file counts; all of it when left out. */
function tailOf(
	path: string,
	{ count, selection, bytes }: { readonly count: number; readonly selection: Selection; readonly bytes?: number },
): string[] {
	let entries: string[][] = [];
	for (let number = 0; entries.length < count; number++) {
		const content = readIfThere(backupPath(path, number));
		// A log that was just rotated has no current file.
		if (content === undefined && number > 0) break;
		const source = content?.subarray(0, number === 0 ? bytes : undefined).toString() ?? "";
		entries = [...entriesOf(source, selection), ...entries];
	}
	return count <= 0 ? [] : entries.slice(-count).flat();
}

/**
 * Passes on the last `count` wanted entries of `path` and then the wanted lines that are written to it, until `signal` is
 * aborted. Rotation loses none: the old file is read to its end first, then those that came between. A folder that is not
 * there yet is made.
 */
export async function followLog(
	path: string,
	{ count = 0, selection = {}, signal, onLines }: FollowOptions,
): Promise<void> {
	if (signal.aborted) return;
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	using follower = new Follower(path, createLineFilter(selection), onLines);
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	// The folder, not the file: the file is renamed under us.
	const watcher = watch(dirname(path), () => {
		try {
			follower.read();
		} catch (error) {
			reject(error);
		}
	});
	watcher.on("error", reject);
	signal.addEventListener("abort", () => resolve(), { once: true });
	try {
		const past = follower.start(count, selection);
		if (past.length > 0) onLines(past);
		follower.read();
		await promise;
	} finally {
		watcher.close();
	}
}

/** What to follow and whom to tell. */
export interface FollowOptions {
	/** Entries of the past to begin with; none when left out. */
	readonly count?: number;
	readonly selection?: Selection;
	readonly signal: AbortSignal;
	onLines(lines: readonly string[]): void;
}

interface OpenFile {
	readonly descriptor: number;
	readonly inode: number;
	offset: number;
	/** Bytes after the last line end. */
	rest: string;
	readonly decoder: StringDecoder;
}

/** A writer that was interrupted between looking and writing puts its piece into a file that was rotated meanwhile. */
const keptFiles = 8;

class Follower implements Disposable {
	/** The one that is written now behind those before it. */
	#files: OpenFile[] = [];
	readonly #path: string;
	readonly #filter: LineFilter;
	readonly #onLines: (lines: readonly string[]) => void;

	constructor(path: string, filter: LineFilter, onLines: (lines: readonly string[]) => void) {
		this.#path = path;
		this.#filter = filter;
		this.#onLines = onLines;
	}

	/** Marks where the past ends, and gives the last entries of it. */
	start(count: number, selection: Selection): string[] {
		using _lock = waitForRotation(this.#path);
		const current = openIfThere(this.#path);
		// Between a rotation and the next entry the newest file is a rotated one.
		const file = current ?? openIfThere(backupPath(this.#path, 1));
		if (!file) return [];
		file.offset = fstatSync(file.descriptor).size;
		this.#files = [file];
		return tailOf(this.#path, { count, selection, ...(current && { bytes: file.offset }) });
	}

	read(): void {
		// First what there is, then what is in it: a file that was followed by another is complete now.
		this.#files.push(...this.#newer());
		for (const file of this.#files) this.#drain(file);
		while (this.#files.length > keptFiles) closeSync(this.#files.shift()?.descriptor ?? -1);
	}

	[Symbol.dispose](): void {
		for (const { descriptor } of this.#files) closeSync(descriptor);
		this.#files = [];
	}

	/** Files that were started after the one we know, oldest first. */
	#newer(): OpenFile[] {
		const known = this.#files.at(-1)?.inode;
		if (inodeOf(this.#path) === known) return [];
		// Halfway through a rotation names are missing or stand for other files.
		using _lock = waitForRotation(this.#path);
		const newer: OpenFile[] = [];
		for (let number = 0; ; number++) {
			const path = backupPath(this.#path, number);
			const inode = inodeOf(path);
			// Until the next entry a rotated log has no current file.
			if (inode === undefined && number === 0) continue;
			if (inode === undefined || inode === known) return newer;
			const file = openIfThere(path);
			if (file) newer.unshift(file);
		}
	}

	#drain(file: OpenFile): void {
		const bytes = new Uint8Array(64 * 1024);
		for (;;) {
			const count = readSync(file.descriptor, bytes, 0, bytes.length, file.offset);
			if (count === 0) return;
			file.offset += count;
			const lines = (file.rest + file.decoder.write(Buffer.from(bytes.subarray(0, count)))).split("\n");
			file.rest = lines.pop() ?? "";
			const wanted = lines.filter(this.#filter);
			if (wanted.length > 0) this.#onLines(wanted);
		}
	}
}

function inodeOf(path: string): number | undefined {
	return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** A rotation takes well under a millisecond; whoever holds the lock for longer is not rotating. */
function waitForRotation(path: string): FileLock | undefined {
	for (let tries = 0; tries < 1000; tries++) {
		const lock = tryFileLock(rotationLock(path));
		if (lock) return lock;
		Bun.sleepSync(1);
	}
	return undefined;
}

function openIfThere(path: string): OpenFile | undefined {
	try {
		const descriptor = openSync(path, "r");
		return { descriptor, inode: fstatSync(descriptor).ino, offset: 0, rest: "", decoder: new StringDecoder("utf8") };
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw error;
	}
}

function readIfThere(path: string): Buffer | undefined {
	try {
		return readFileSync(path);
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw error;
	}
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Wanted entries, each with the lines that continue it. */
function entriesOf(source: string, selection: Selection): string[][] {
	const isWanted = createLineFilter(selection);
	const entries: string[][] = [];
	const lines = source.split("\n");
	if (lines.at(-1) === "") lines.pop();
	for (const line of lines.filter(isWanted)) {
		const entry = entries.at(-1);
		if (entry && !parseHead(line)) entry.push(line);
		else entries.push([line]);
	}
	return entries;
}
