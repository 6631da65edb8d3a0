/** Reads an image that the user names, without being held up by what is no file. */

import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../base/attempt.ts";
import { systemReason } from "../base/system-reason.ts";
import { ImageRefused } from "./image-refused.ts";

/** What is larger need not be read to be refused. */
const largestFile = 64 * 1024 * 1024;

/**
 * The bytes of a file; whether they are an image `keepImage` finds out.
 * @throws {ImageRefused} When it cannot be read, is no file, or larger than 64 MB.
 */
export function readImageFile(path: string): Uint8Array {
	try {
		const stat = statSync(path);
		// A pipe or a device may never end.
		if (!stat.isFile()) throw new ImageRefused(`Cannot attach "${path}": it is no file`);
		if (stat.size > largestFile) throw new ImageRefused(`Cannot attach "${path}": it is too large; crop it first`);
		return readFileSync(path);
	} catch (cause) {
		if (cause instanceof ImageRefused) throw cause;
		throw new ImageRefused(`Cannot attach "${path}": ${systemReason(cause) ?? reasonOf(cause)}`, { cause });
	}
}
