/** Reads a tar archive that a stranger made, as it arrives: regular files only, and never more than was allowed. */

import { blockBytes, fields, sumOf } from "./header.ts";

/** How much is taken. */
export interface TarLimits {
	/** Bytes of all files together. */
	readonly totalBytes: number;
	/** Headers of any kind. */
	readonly members: number;
}

/** A file whose content must be read before the next one is asked for; what is not read is skipped. */
export interface ReadMember {
	readonly name: string;
	readonly size: number;
	readonly mode: number;
	readonly content: AsyncIterable<Uint8Array>;
}

/** Something that is no regular file. */
export interface RefusedMember {
	readonly name: string;
	readonly refused: string;
}

/** The archive cannot be read, or is larger than allowed. */
export class ArchiveRefused extends Error {
	override readonly name = "ArchiveRefused";
}

/** A name or a record longer than this is no honest one. */
const longestRecordBytes = 64 * 1024;

const regular = new Set(["0", "\0", "7"]);
const otherKinds: ReadonlyMap<string, string> = new Map([
	["1", "it is a hard link"],
	["2", "it is a symbolic link"],
	["3", "it is a device"],
	["4", "it is a device"],
	["5", "it is a folder"],
	["6", "it is a pipe"],
]);

/**
 * The members of `archive` in their order.
 * @throws {ArchiveRefused} When it is broken, cut, sparse, or over the limits.
 */
export async function* readTar(
	archive: AsyncIterable<Uint8Array>,
	limits: TarLimits,
): AsyncGenerator<ReadMember | RefusedMember> {
	await using input = new Input(archive);
	let total = 0;
	for await (const header of headersOf(input, limits.members)) {
		const { name, size, mode, type } = header;
		if (!regular.has(type)) {
			const kind = otherKinds.get(type);
			yield { name, refused: kind ?? "it is of an unknown kind" };
			// These have no content, whatever their size says.
			if (kind === undefined) await input.skip(size);
			continue;
		}
		total += size;
		if (total > limits.totalBytes) throw new ArchiveRefused("Cannot read the archive: it is larger than allowed");
		const content = input.content(size);
		yield { name, size, mode, content: content.parts() };
		await content.skipRest();
	}
	await input.drain();
}

/** Headers with what extensions before them say. The content of one must have been read before the next is asked for. */
async function* headersOf(input: Input, most: number): AsyncGenerator<Header> {
	let extension: Extension = {};
	for (let count = 0; ; count++) {
		const block = await input.block();
		if (block.every((byte) => byte === 0)) return;
		if (count >= most) throw new ArchiveRefused("Cannot read the archive: it has too many members");
		const header = readHeader(block);
		if (isExtension(header.type)) {
			extension = { ...extension, ...readExtension(header.type, await input.record(header.size)) };
			continue;
		}
		const { isSparse = header.type === "S", ...said } = extension;
		extension = {};
		// What follows such a header is not what its size says.
		if (isSparse) throw new ArchiveRefused(`Cannot read the archive: ${JSON.stringify(header.name)} is sparse`);
		yield { ...header, ...said };
	}
}

interface Header {
	readonly name: string;
	readonly size: number;
	readonly mode: number;
	readonly type: string;
}

function readHeader(block: Buffer): Header {
	const raw = ([offset, length]: readonly [number, number]) => block.subarray(offset, offset + length);
	const stated = readNumber(raw(fields.checksum));
	const blank = Buffer.from(block);
	blank.fill(" ", fields.checksum[0], fields.checksum[0] + fields.checksum[1]);
	if (sumOf(blank) !== stated) throw new ArchiveRefused("Cannot read the archive: a header is broken");
	const isUstar = raw(fields.magic).toString("latin1").startsWith("ustar\0");
	const prefix = isUstar ? readText(raw(fields.prefix)) : "";
	const name = readText(raw(fields.name));
	return {
		name: prefix === "" ? name : `${prefix}/${name}`,
		size: readNumber(raw(fields.size)),
		mode: readNumber(raw(fields.mode)) & 0o777,
		type: raw(fields.type).toString("latin1"),
	};
}

function readText(field: Buffer): string {
	const end = field.indexOf(0);
	return field.toString("utf8", 0, end === -1 ? field.length : end);
}

/** Octal digits, or the large numbers of GNU. @throws {ArchiveRefused} When it is neither, negative, or not exact. */
function readNumber(field: Buffer): number {
	const first = field[0] ?? 0;
	if (first === 0x80) {
		const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
		if (Number.isSafeInteger(value)) return value;
	}
	const text = field
		.toString("latin1")
		.replace(/[\0 ]+$/, "")
		.trimStart();
	if (text === "") return 0;
	if (!/^[0-7]+$/.test(text)) throw new ArchiveRefused("Cannot read the archive: a number in a header is broken");
	return Number.parseInt(text, 8);
}

/** What an extension says of the next member. */
interface Extension {
	readonly name?: string;
	readonly size?: number;
	readonly isSparse?: boolean;
}

/** pax records of one member and of all, GNU's long names and long targets. */
function isExtension(type: string): boolean {
	return ["x", "g", "L", "K"].includes(type);
}

function readExtension(type: string, body: Buffer): Extension {
	if (type === "L") return { name: readText(body) };
	return type === "x" ? readRecords(body) : {};
}

function readRecords(body: Buffer): Extension {
	let found: Extension = {};
	for (let at = 0; at < body.length; ) {
		const space = body.indexOf(0x20, at);
		const length = Number(body.toString("latin1", at, space));
		const equals = body.indexOf(0x3d, space);
		const isSound =
			space > at && Number.isInteger(length) && equals > space && at + length <= body.length && equals < at + length;
		if (!isSound) throw new ArchiveRefused("Cannot read the archive: a pax record is broken");
		const key = body.toString("utf8", space + 1, equals);
		const value = body.toString("utf8", equals + 1, at + length - 1);
		found = { ...found, ...readRecord(key, value) };
		at += length;
	}
	return found;
}

function readRecord(key: string, value: string): Extension {
	if (key === "path") return { name: value };
	if (key.startsWith("GNU.sparse.")) return { isSparse: true };
	if (key !== "size") return {};
	const size = Number(value);
	if (!/^\d+$/.test(value) || !Number.isSafeInteger(size)) {
		throw new ArchiveRefused("Cannot read the archive: a size is no number");
	}
	return { size };
}

/** The bytes of the archive, in the portions that are asked for. */
class Input implements AsyncDisposable {
	readonly #source: AsyncIterator<Uint8Array>;
	#rest: Buffer = Buffer.alloc(0);

	constructor(archive: AsyncIterable<Uint8Array>) {
		this.#source = archive[Symbol.asyncIterator]();
	}

	block(): Promise<Buffer> {
		return this.#exactly(blockBytes);
	}

	async record(size: number): Promise<Buffer> {
		if (size > longestRecordBytes) throw new ArchiveRefused("Cannot read the archive: a record is too long");
		const body = await this.#exactly(size);
		await this.skip(paddingOf(size), { isPadded: true });
		return body;
	}

	content(size: number): { parts(): AsyncGenerator<Uint8Array>; skipRest(): Promise<void> } {
		let left = size;
		const take = async () => {
			const part = await this.#atMost(left);
			left -= part.length;
			return part;
		};
		return {
			async *parts() {
				while (left > 0) yield await take();
			},
			skipRest: async () => {
				while (left > 0) await take();
				await this.skip(paddingOf(size), { isPadded: true });
			},
		};
	}

	/** Leaves out a content of `size` bytes and what fills its last block. */
	async skip(size: number, { isPadded = false } = {}): Promise<void> {
		for (let left = isPadded ? size : size + paddingOf(size); left > 0; ) left -= (await this.#atMost(left)).length;
	}

	/** Reads what follows the end, which its writer would otherwise fail to write. A writer that never stops is left. */
	async drain(): Promise<void> {
		for (let left = longestRecordBytes; left > 0; ) {
			const { done, value } = await this.#source.next();
			if (done) return;
			left -= value.length;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#source.return?.();
	}

	async #atMost(bytes: number): Promise<Buffer> {
		while (this.#rest.length === 0) await this.#more();
		const part = this.#rest.subarray(0, bytes);
		this.#rest = this.#rest.subarray(part.length);
		return part;
	}

	async #exactly(bytes: number): Promise<Buffer> {
		if (bytes === 0) return Buffer.alloc(0);
		while (this.#rest.length < bytes) await this.#more();
		return this.#atMost(bytes);
	}

	async #more(): Promise<void> {
		const { done, value } = await this.#source.next();
		if (done) throw new ArchiveRefused("Cannot read the archive: it is cut");
		const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
		this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
	}
}

function paddingOf(size: number): number {
	return (blockBytes - (size % blockBytes)) % blockBytes;
}
