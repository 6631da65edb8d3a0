/** Reading files out of a zip archive that is in memory. */

import { inflateRawSync } from "node:zlib";

/** Bytes that one file of an archive may become: an archive of a few kilobytes can hold gigabytes of blanks. */
const largestEntry = 64 * 1024 * 1024;

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
/** Longest comment behind the list of entries. */
const longestComment = 0xffff;

interface Entry {
	readonly method: number;
	readonly packedSize: number;
	readonly offset: number;
}

/** An archive whose list was read. */
export interface Zip {
	/** The text of a file; undefined when there is none of that name. @throws {Error} When it is damaged or too large. */
	text(name: string): string | undefined;
}

/**
 * Reads the list of the archive in `bytes`.
 * @throws {Error} When it is no zip archive.
 */
export function openZip(bytes: Uint8Array): Zip {
	const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const entries = entriesOf(view);
	return {
		text(name) {
			const entry = entries.get(name);
			return entry === undefined ? undefined : new TextDecoder().decode(contentOf(view, entry));
		},
	};
}

function entriesOf(view: Buffer): Map<string, Entry> {
	const end = endOf(view);
	const count = view.readUInt16LE(end + 10);
	const entries = new Map<string, Entry>();
	let at = view.readUInt32LE(end + 16);
	for (let index = 0; index < count; index++) {
		if (view.readUInt32LE(at) !== entryMark) throw new Error("Cannot read the archive: its list is damaged");
		const [name, extra, comment] = [view.readUInt16LE(at + 28), view.readUInt16LE(at + 30), view.readUInt16LE(at + 32)];
		entries.set(view.toString("utf8", at + entryBytes, at + entryBytes + name), {
			method: view.readUInt16LE(at + 10),
			packedSize: view.readUInt32LE(at + 20),
			offset: view.readUInt32LE(at + 42),
		});
		at += entryBytes + name + extra + comment;
	}
	return entries;
}

function endOf(view: Buffer): number {
	for (let at = view.length - endBytes; at >= Math.max(0, view.length - endBytes - longestComment); at--) {
		if (view.readUInt32LE(at) === endMark) return at;
	}
	throw new Error("Cannot read the archive: it has no list of entries");
}

function contentOf(view: Buffer, { method, packedSize, offset }: Entry): Uint8Array {
	const start = offset + localBytes + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
	const packed = view.subarray(start, start + packedSize);
	if (method === 0) return packed;
	if (method !== 8) throw new Error(`Cannot read the archive: packing method ${method} is not known`);
	return inflateRawSync(packed, { maxOutputLength: largestEntry });
}
