/** Small pictures, made byte by byte: no test depends on a file of somebody's camera. */

import { crc32, deflateSync } from "node:zlib";

/** A PNG of one colour; `extraBytes` in a private chunk make the file larger, not the picture. */
export function pngPicture(width: number, height: number, extraBytes = 0): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	// Eight bits of grey.
	header[8] = 8;
	const rows = Buffer.alloc(height * (width + 1));
	return Buffer.concat([
		Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", header),
		...(extraBytes > 0 ? [chunk("prVt", Buffer.alloc(extraBytes))] : []),
		chunk("IDAT", deflateSync(rows)),
		chunk("IEND", Buffer.alloc(0)),
	]);
}

function chunk(type: string, data: Buffer): Buffer {
	const bytes = Buffer.alloc(12 + data.length);
	bytes.writeUInt32BE(data.length, 0);
	bytes.write(type, 4, "latin1");
	data.copy(bytes, 8);
	bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
	return bytes;
}
