/** Reads files of this machine that may change, or be gone, at any moment. */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

const portionBytes = 1024 * 1024;

/** An opened regular file. Disposing it closes it. */
export interface OpenedFile extends Disposable {
	readonly facts: Stats;
	/** Its content up to the size it had when it was opened, in portions. */
	portions(): Generator<Buffer>;
}

/** Opens a regular file; undefined for anything else: a link that took its place is not followed. */
export function openLocal(path: string): OpenedFile | undefined {
	const descriptor = open(path);
	if (descriptor === undefined) return undefined;
	const facts = fstatSync(descriptor);
	if (!facts.isFile()) {
		closeSync(descriptor);
		return undefined;
	}
	return {
		facts,
		*portions() {
			for (let left = facts.size; left > 0; ) {
				const portion = Buffer.allocUnsafe(Math.min(left, portionBytes));
				const count = readSync(descriptor, portion);
				if (count === 0) return;
				left -= count;
				yield portion.subarray(0, count);
			}
		},
		[Symbol.dispose]: () => closeSync(descriptor),
	};
}

/** Hex SHA-256 of a regular file; undefined when it cannot be read. */
export function hashOf(path: string): string | undefined {
	using file = openLocal(path);
	if (file === undefined) return undefined;
	const hash = new Bun.CryptoHasher("sha256");
	for (const portion of file.portions()) hash.update(portion);
	return hash.digest("hex");
}

/** Opening a pipe must not wait for whoever writes to it. */
function open(path: string): number | undefined {
	try {
		return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return undefined;
	}
}
