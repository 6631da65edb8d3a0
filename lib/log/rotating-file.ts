/** A file that many processes append whole lines to and that starts anew when it has grown too large. */

import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	mkdirSync,
	openSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { tryFileLock } from "../base/file-lock.ts";

/** Where and how large. */
export interface RotatingFileOptions {
	readonly path: string;
	/** A file at least this large is rotated before the next write. */
	readonly maxBytes: number;
	/** `path.1` … `path.N` that are kept; 0 keeps none. */
	readonly backups: number;
}

/** Appends text. Nothing is touched before the first write. */
export interface RotatingFile extends Disposable {
	/**
	 * Appends `text`, which ends with a line end, in one write: the kernel puts it behind everything others wrote.
	 * @throws The error of the file system.
	 */
	append(text: string): void;
}

/**
 * The file of `options`. Appending takes no lock. Only renaming does, and a writer that still has the old file open
 * writes one last piece to it under its new name: nothing is lost, whoever rotates.
 */
export function openRotatingFile(options: RotatingFileOptions): RotatingFile {
	let descriptor: number | undefined;
	const close = () => {
		if (descriptor !== undefined) closeSync(descriptor);
		descriptor = undefined;
	};
	return {
		append(text) {
			if (descriptor !== undefined && !isCurrent(descriptor, options.path)) close();
			if (sizeOf(options.path) >= options.maxBytes && rotate(options)) close();
			descriptor ??= openForAppending(options.path);
			writeWhole(descriptor, Buffer.from(text));
		},
		[Symbol.dispose]: close,
	};
}

/** `path.2`, for the second rotation ago; 0 is the file itself. */
export function backupPath(path: string, number: number): string {
	return number === 0 ? path : `${path}.${number}`;
}

/** The lock that is held while files are renamed. */
export function rotationLock(path: string): string {
	return `${path}.lock`;
}

function openForAppending(path: string): number {
	const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
	try {
		return openSync(path, flags, 0o600);
	} catch (error) {
		if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOENT") throw error;
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		return openSync(path, flags, 0o600);
	}
}

/** Renames down the line, unless another process is at it or was faster. */
function rotate({ path, maxBytes, backups }: RotatingFileOptions): boolean {
	using lock = tryFileLock(rotationLock(path));
	if (!lock || sizeOf(path) < maxBytes) return false;
	for (let number = backups - 1; number >= 0; number--) {
		const from = backupPath(path, number);
		if (existsSync(from)) renameSync(from, backupPath(path, number + 1));
	}
	if (backups === 0) rmSync(path, { force: true });
	return true;
}

function isCurrent(descriptor: number, path: string): boolean {
	const there = statSync(path, { throwIfNoEntry: false });
	if (!there) return false;
	const open = fstatSync(descriptor);
	return open.ino === there.ino && open.dev === there.dev;
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A disk that is nearly full takes a part only; the rest is tried once more and then fails as it should. */
function writeWhole(descriptor: number, bytes: Uint8Array): void {
	for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
