/** Reads an image that the user names, without being held up by what is no file. */

import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { reasonOf } from "../base/attempt.ts";
import { systemReason } from "../base/system-reason.ts";
import { ImageRefused } from "./image-refused.ts";

/** What is larger need not be read to be refused. */
const largestFile = 64 * 1024 * 1024;

/**
 * The bytes of a file; whether they are an image `keepImage` finds out.
 * @throws {ImageRefused} When it cannot be read, is no file, empty, or larger than 64 MB.
 */
export function readImageFile(path: string): Uint8Array {
	try {
		const stat = statSync(path);
		// A pipe or a device may never end.
		if (!stat.isFile()) throw new ImageRefused(`Cannot attach "${path}": it is no file`);
		if (stat.size > largestFile) throw new ImageRefused(`Cannot attach "${path}": it is too large; crop it first`);
		// What grows while it is read has no size: a log of the kernel waits for its next line.
		if (stat.size === 0) throw new ImageRefused(`Cannot attach "${path}": it is empty`);
		return beginningOf(path, stat.size);
	} catch (cause) {
		if (cause instanceof ImageRefused) throw cause;
		throw new ImageRefused(`Cannot attach "${path}": ${systemReason(cause) ?? reasonOf(cause)}`, { cause });
	}
}

/** At most `size` bytes, without waiting for any. */
function beginningOf(path: string, size: number): Uint8Array {
	const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const bytes = Buffer.alloc(size);
		let length = 0;
		for (let read = -1; read !== 0 && length < size; length += read)
			read = readSync(descriptor, bytes, length, size - length, null);
		return bytes.subarray(0, length);
	} finally {
		closeSync(descriptor);
	}
}
