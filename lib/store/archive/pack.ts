/** Writes a folder into a gzipped tar: whole or not at all, and databases as they are at one moment. */

import { Database } from "bun:sqlite";
import {
	closeSync,
	createReadStream,
	createWriteStream,
	lstatSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	rmSync,
	type Stats,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Pack } from "tar-stream";
import { type Manifest, manifestName } from "./manifest.ts";

/** What is written. */
export interface Packing {
	readonly folder: string;
	/** Where the archive goes (0600); an existing file is replaced. */
	readonly to: string;
	readonly manifest: Manifest;
	/** Whether what is at this path below the folder (`memories/USER.md`) is written; a folder that is not is not looked into. */
	includes(path: string): boolean;
	/** Ends the work; nothing is left then. */
	readonly signal: AbortSignal;
}

/** How much was written, and what was not because an archive may not hold it. */
export interface Packed {
	readonly files: number;
	readonly bytes: number;
	/** Links, sockets and devices, as paths below the folder. */
	readonly leftOut: readonly string[];
}

/**
 * Packs the folder.
 * @throws The error of the file system or of SQLite, or the reason of the signal.
 */
export async function packFolder({ folder, to, manifest, includes, signal }: Packing): Promise<Packed> {
	const { pack } = await import("tar-stream");
	const tar = pack();
	const unfinished = `${to}.${process.pid}.tmp`;
	const writing = pipeline(tar, createGzip(), createWriteStream(unfinished, { mode: 0o600 }), { signal });
	// Whoever fills the archive may fail first, and the other failure is then a consequence.
	writing.catch(() => {});
	const leftOut: string[] = [];
	let [files, bytes] = [0, 0];
	try {
		await addText(tar, manifestName, `${JSON.stringify(manifest, null, 2)}\n`);
		for (const [path, stats] of filesIn(folder, "", includes)) {
			signal.throwIfAborted();
			if (stats.isDirectory()) await addFolder(tar, path);
			else if (!stats.isFile()) leftOut.push(path);
			else {
				const { size, mode, mtime } = stats;
				bytes += await addFile(tar, join(folder, path), { path, size, mode, mtime, signal });
				files++;
			}
		}
		tar.finalize();
		await writing;
		renameSync(unfinished, to);
	} catch (error) {
		tar.destroy();
		rmSync(unfinished, { force: true });
		throw error;
	}
	return { files, bytes, leftOut };
}

/** Everything below `folder`, in order; of folders only those that are empty in the archive: a profile may be one. */
function* filesIn(folder: string, below: string, includes: Packing["includes"]): Generator<[string, Stats]> {
	for (const name of readdirSync(join(folder, below)).sort()) {
		const path = below === "" ? name : `${below}/${name}`;
		if (!includes(path)) continue;
		const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
		if (stats === undefined) continue;
		if (!stats.isDirectory()) {
			yield [path, stats];
			continue;
		}
		let isEmpty = true;
		for (const found of filesIn(folder, path, includes)) {
			isEmpty = false;
			yield found;
		}
		if (isEmpty) yield [path, stats];
	}
}

function addText(tar: Pack, name: string, text: string): Promise<void> {
	return new Promise((done, failed) => {
		tar.entry({ name, mode: 0o600 }, text, (error) => (error ? failed(error) : done()));
	});
}

function addFolder(tar: Pack, name: string): Promise<void> {
	return new Promise((done, failed) => {
		const made = (error?: Error | null) => (error ? failed(error) : done());
		tar.entry({ name, type: "directory", mode: 0o700 }, "", made);
	});
}

/** A file as its entry says it. */
interface Added {
	readonly path: string;
	readonly size: number;
	readonly mode: number;
	readonly mtime: Date;
	readonly signal: AbortSignal;
}

/** Returns its size. */
async function addFile(tar: Pack, file: string, added: Added): Promise<number> {
	if (!isDatabase(file, added.size)) return await addBytes(tar, file, added);
	const copies = mkdtempSync(join(tmpdir(), "hermes-backup-"));
	try {
		const copy = join(copies, basename(file));
		copyDatabase(file, copy);
		return await addBytes(tar, copy, { ...added, size: lstatSync(copy).size });
	} finally {
		rmSync(copies, { recursive: true, force: true });
	}
}

function copyDatabase(file: string, copy: string): void {
	using database = new Database(file);
	database.run("PRAGMA busy_timeout = 10000");
	database.query("VACUUM INTO ?").run(copy);
}

async function addBytes(tar: Pack, file: string, added: Added): Promise<number> {
	const { path, size, mode, mtime, signal } = added;
	const entry = tar.entry({ name: path, size, mode: mode & 0o777, mtime });
	// A file that grows meanwhile (a log) is written as long as it was.
	const source = size === 0 ? Readable.from([]) : createReadStream(file, { end: size - 1 });
	await pipeline(source, entry, { signal });
	return size;
}

/** SQLite writes into its files at any time, and a copy of the bytes would be no database. */
function isDatabase(file: string, size: number): boolean {
	if (size < 16) return false;
	const descriptor = openSync(file, "r");
	try {
		const start = Buffer.alloc(16);
		readSync(descriptor, start, 0, 16, 0);
		return start.toString("latin1") === "SQLite format 3\0";
	} finally {
		closeSync(descriptor);
	}
}
