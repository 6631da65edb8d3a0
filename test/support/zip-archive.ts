/** Makes zip archives for tests. */

import { crc32, deflateRawSync } from "node:zlib";

/** An archive of `files`, packed unless `isStored`. */
export function zipArchive(files: Readonly<Record<string, string | Uint8Array>>, isStored = false): Uint8Array {
	const locals: Buffer[] = [];
	const list: Buffer[] = [];
	let offset = 0;
	for (const [name, content] of Object.entries(files)) {
		const bytes = Buffer.from(content);
		const packed = isStored ? bytes : deflateRawSync(bytes);
		const head = Buffer.alloc(26);
		head.writeUInt16LE(20, 0);
		head.writeUInt16LE(isStored ? 0 : 8, 4);
		head.writeUInt32LE(crc32(bytes), 10);
		head.writeUInt32LE(packed.length, 14);
		head.writeUInt32LE(bytes.length, 18);
		head.writeUInt16LE(Buffer.byteLength(name), 22);
		const local = Buffer.concat([Buffer.from("PK\x03\x04"), head, Buffer.from(name), packed]);
		const entry = Buffer.alloc(14);
		entry.writeUInt32LE(offset, 10);
		list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), head, entry, Buffer.from(name)]));
		locals.push(local);
		offset += local.length;
	}
	const end = Buffer.alloc(18);
	end.writeUInt16LE(list.length, 4);
	end.writeUInt16LE(list.length, 6);
	end.writeUInt32LE(Buffer.concat(list).length, 8);
	end.writeUInt32LE(offset, 12);
	return Buffer.concat([...locals, ...list, Buffer.from("PK\x05\x06"), end]);
}
