/** The header of one file in a tar archive: ustar, with a pax record before it where ustar has no room. */

/** Archives consist of blocks of this many bytes. */
export const blockBytes = 512;

/** A regular file of an archive. */
export interface TarMember {
	/** Relative, parts separated by `/`. */
	readonly name: string;
	readonly size: number;
	/** Permission bits. */
	readonly mode: number;
	readonly modifiedSeconds: number;
}

/** Where the fields are: offset and length. */
export const fields = {
	name: [0, 100],
	mode: [100, 8],
	uid: [108, 8],
	gid: [116, 8],
	size: [124, 12],
	mtime: [136, 12],
	checksum: [148, 8],
	type: [156, 1],
	magic: [257, 6],
	prefix: [345, 155],
} as const;

const nameBytes = fields.name[1];
const prefixBytes = fields.prefix[1];
/** Eleven octal digits. */
const largestOctal = 0o77777777777;

/** The blocks before the content. Nobody of this machine is named in them: the owner is 0, and has no name. */
export function tarHeader(member: TarMember): Buffer {
	const records: string[] = [];
	const split = splitName(member.name);
	if (split === undefined) records.push(paxRecord("path", member.name));
	if (member.size > largestOctal) records.push(paxRecord("size", String(member.size)));
	const { name, prefix } = split ?? { name: shortened(member.name), prefix: "" };
	const size = member.size > largestOctal ? 0 : member.size;
	const header = ustarHeader({ ...member, name, size }, { type: "0", prefix });
	if (records.length === 0) return header;
	const body = Buffer.from(records.join(""));
	const pax = { name: "pax", size: body.length, mode: 0o600, modifiedSeconds: 0 };
	return Buffer.concat([ustarHeader(pax, { type: "x", prefix: "" }), body, padding(body.length), header]);
}

/** What fills the last block of a content of `size` bytes. */
export function padding(size: number): Buffer {
	return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The end of an archive. */
export function tarEnd(): Buffer {
	return Buffer.alloc(2 * blockBytes);
}

function ustarHeader(
	{ name, size, mode, modifiedSeconds }: TarMember,
	{ type, prefix }: { readonly type: "0" | "x"; readonly prefix: string },
): Buffer {
	const header = Buffer.alloc(blockBytes);
	const put = ([offset, length]: readonly [number, number], text: string) => header.write(text, offset, length, "utf8");
	put(fields.name, name);
	put(fields.mode, octal(mode, 7));
	put(fields.uid, octal(0, 7));
	put(fields.gid, octal(0, 7));
	put(fields.size, octal(size, 11));
	put(fields.mtime, octal(Math.min(Math.max(0, Math.floor(modifiedSeconds)), largestOctal), 11));
	put(fields.type, type);
	header.write("ustar\u000000", fields.magic[0], "latin1");
	if (prefix !== "") put(fields.prefix, prefix);
	header.fill(" ", fields.checksum[0], fields.checksum[0] + fields.checksum[1]);
	put(fields.checksum, `${octal(sumOf(header), 6)}\0 `);
	return header;
}

/** The sum of all bytes of a header whose field for the sum is blank. */
export function sumOf(header: Uint8Array): number {
	let sum = 0;
	// Twice as fast as an iterator, thousands of times over.
	for (let at = 0; at < header.length; at++) sum += header[at] ?? 0;
	return sum;
}

function octal(value: number, digits: number): string {
	return value.toString(8).padStart(digits, "0");
}

/** A name in the two fields of ustar; undefined when it does not fit. */
function splitName(name: string): { readonly name: string; readonly prefix: string } | undefined {
	if (Buffer.byteLength(name) <= nameBytes) return { name, prefix: "" };
	for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1)) {
		const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
		if (Buffer.byteLength(prefix) > prefixBytes) return undefined;
		if (Buffer.byteLength(rest) <= nameBytes) return { name: rest, prefix };
	}
	return undefined;
}

/** What a reader without pax sees. */
function shortened(name: string): string {
	return Buffer.from(name)
		.subarray(0, nameBytes)
		.toString("latin1")
		.replace(/[^\x20-\x7e]/g, "_");
}

/** A record begins with its own length, whose digits count. */
function paxRecord(key: string, value: string): string {
	const rest = ` ${key}=${value}\n`;
	const bytes = Buffer.byteLength(rest);
	const guess = bytes + String(bytes).length;
	return `${bytes + String(guess).length}${rest}`;
}
