/** Reads an archive of a stranger: nothing in it may lead out of the folder it goes to, and it may not fill the disk. */

import { createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Extract, Header } from "tar-stream";
import { systemReason } from "../../base/system-reason.ts";
import { ArchiveRefused, type Manifest, manifestName, manifestShape } from "./manifest.ts";

/** One file or folder of an archive, to be read before the next. */
type Entry = Extract extends AsyncIterable<infer E> ? E : never;

/** How far an archive may go. */
export interface UnpackLimits {
	/** Bytes of all files together when unpacked. */
	readonly bytes: number;
	readonly files: number;
}

/** What ends the work early. */
export interface UnpackOptions {
	/** Ends it between two pieces of a file. */
	readonly signal: AbortSignal;
	readonly limits?: UnpackLimits;
}

const usualLimits: UnpackLimits = { bytes: 20 * 1024 ** 3, files: 200_000 };
const longestManifest = 64 * 1024;

/**
 * What an archive says it is.
 * @throws {ArchiveRefused} When it is no archive of ours.
 */
export async function readManifest(archive: string): Promise<Manifest> {
	for await (const entry of entriesOf(archive)) return await manifestIn(entry, archive);
	throw refusal(archive, "it is empty");
}

/**
 * Writes the files of `archive` below `folder`, which is there and empty; every file is 0600 or 0700, every folder 0700.
 * @throws {ArchiveRefused} When it is no archive of ours, is broken, holds a link, a device or a path that leads out, or is too
 * large; `folder` may hold a part of it then, as it may when the signal aborts, whose reason is thrown.
 */
export async function unpackInto(
	folder: string,
	archive: string,
	{ signal, limits = usualLimits }: UnpackOptions,
): Promise<void> {
	let [bytes, files, isFirst] = [0, 0, true];
	for await (const entry of entriesOf(archive)) {
		if (isFirst) {
			await manifestIn(entry, archive);
			isFirst = false;
			continue;
		}
		signal.throwIfAborted();
		checkEntry(entry.header, archive);
		bytes += entry.header.size ?? 0;
		files++;
		if (bytes > limits.bytes || files > limits.files) throw refusal(archive, "it is too large");
		await writeEntry(folder, entry, signal);
	}
	if (isFirst) throw refusal(archive, "it is empty");
}

async function* entriesOf(archive: string): AsyncGenerator<Entry> {
	const { extract } = await import("tar-stream");
	const entries = extract();
	const reading = pipeline(createReadStream(archive), createGunzip(), entries);
	// The loop below sees the same failure.
	reading.catch(() => {});
	try {
		yield* entries;
		await reading;
	} catch (cause) {
		if (isOfDisk(cause)) throw new ArchiveRefused(`Cannot read "${archive}": ${systemReason(cause)}`, { cause });
		throw new ArchiveRefused(`Cannot read "${archive}": it is broken or no archive of hermes`, { cause });
	} finally {
		entries.destroy();
	}
}

async function manifestIn(entry: Entry, archive: string): Promise<Manifest> {
	const { name, size = 0 } = entry.header;
	if (name !== manifestName || size > longestManifest) throw refusal(archive, "it is no archive of hermes");
	const parsed = manifestShape.safeParse(await json(entry).catch(() => undefined));
	if (!parsed.success) throw refusal(archive, "it is of another kind, or a newer hermes made it");
	return parsed.data;
}

function checkEntry({ name, type }: Header, archive: string): void {
	if (type !== "file" && type !== "directory") throw refusal(archive, `"${name}" in it is neither a file nor a folder`);
	const parts = name.replace(/\/$/, "").split("/");
	const leadsOut = parts.some((part) => part === "" || part === "." || part === "..");
	if (leadsOut || /[\\\0]|^[A-Za-z]:/.test(name)) throw refusal(archive, `"${name}" in it leads out of its folder`);
}

async function writeEntry(folder: string, entry: Entry, signal: AbortSignal): Promise<void> {
	const { name, type, mode = 0 } = entry.header;
	const path = join(folder, name);
	if (type === "directory") {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		entry.resume();
		return;
	}
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	// `wx`: the same name twice is no honest archive.
	await pipeline(entry, createWriteStream(path, { flags: "wx", mode: mode & 0o100 ? 0o700 : 0o600 }), { signal });
}

function refusal(archive: string, reason: string): ArchiveRefused {
	return new ArchiveRefused(`Cannot use "${archive}": ${reason}`);
}

/** What a user mends on this machine: a full disk, a missing file. */
function isOfDisk(cause: unknown): boolean {
	return cause instanceof Error && "syscall" in cause;
}
