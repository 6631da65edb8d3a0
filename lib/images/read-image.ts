/** What the header of an image says: its kind and its size. Nothing is decoded, so a broken or hostile file costs nothing. */

import type { ImageMediaType } from "../base/conversation.ts";

/** What a header says. */
export interface ImageHeader {
	readonly mediaType: ImageMediaType;
	/** Pixels; at least 1. */
	readonly width: number;
	readonly height: number;
}

type Size = Pick<ImageHeader, "width" | "height">;

interface Format {
	readonly mediaType: ImageMediaType;
	isOne(data: DataView): boolean;
	/** Undefined when the header is incomplete. May throw a RangeError past the end of the data. */
	size(data: DataView): Size | undefined;
}

const formats: readonly Format[] = [
	{
		mediaType: "image/png",
		isOne: (data) => data.getUint32(0) === 0x89504e47 && data.getUint32(4) === 0x0d0a1a0a,
		size: (data) =>
			textAt(data, 12) === "IHDR" ? { width: data.getUint32(16), height: data.getUint32(20) } : undefined,
	},
	{ mediaType: "image/jpeg", isOne: (data) => data.getUint16(0) === 0xffd8, size: jpegSize },
	{
		mediaType: "image/gif",
		isOne: (data) => textAt(data, 0) === "GIF8",
		size: (data) => ({ width: data.getUint16(6, true), height: data.getUint16(8, true) }),
	},
	{
		mediaType: "image/webp",
		isOne: (data) => textAt(data, 0) === "RIFF" && textAt(data, 8) === "WEBP",
		size: webpSize,
	},
];

/** Undefined for what is none of the four kinds, and for a header that is cut off or makes no sense. */
export function readImage(bytes: Uint8Array): ImageHeader | undefined {
	const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	try {
		const format = formats.find(({ isOne }) => isOne(data));
		const size = format?.size(data);
		if (format === undefined || size === undefined || size.width < 1 || size.height < 1) return undefined;
		return { mediaType: format.mediaType, width: size.width, height: size.height };
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

/**
 * Whether the end of an image is missing, of a kind that says where it ends (PNG and WebP). A provider would refuse it, and every
 * other image of the conversation with it.
 */
export function isCutOff(bytes: Uint8Array, { mediaType }: ImageHeader): boolean {
	const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (mediaType === "image/webp") return data.byteLength < 8 + data.getUint32(4, true);
	if (mediaType !== "image/png") return false;
	// Chunks: a length, four letters, the content, and a checksum.
	for (let at = 8; at + 12 <= data.byteLength; at += 12 + data.getUint32(at)) {
		if (textAt(data, at + 4) === "IEND") return false;
	}
	return true;
}

/** The frame header is behind any number of segments, each of which says how long it is. */
function jpegSize(data: DataView): Size | undefined {
	let at = 2;
	while (at < data.byteLength) {
		if (data.getUint8(at) !== 0xff) return undefined;
		const marker = data.getUint8(at + 1);
		if (isFrame(marker)) return { height: data.getUint16(at + 5), width: data.getUint16(at + 7) };
		// A fill byte, or a marker that stands alone.
		if (marker === 0xff) at += 1;
		else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
		else at += 2 + data.getUint16(at + 2);
	}
	return undefined;
}

/** SOF0 to SOF15, without the three markers between them that mean something else (DHT, JPG, DAC). */
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Lossy, lossless and extended files each write their size in another way. */
function webpSize(data: DataView): Size | undefined {
	switch (textAt(data, 12)) {
		case "VP8 ":
			return { width: data.getUint16(26, true) & 0x3fff, height: data.getUint16(28, true) & 0x3fff };
		case "VP8L": {
			const bits = data.getUint32(21, true);
			return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
		}
		case "VP8X":
			return { width: uint24(data, 24) + 1, height: uint24(data, 27) + 1 };
		default:
			return undefined;
	}
}

function uint24(data: DataView, at: number): number {
	return data.getUint16(at, true) | (data.getUint8(at + 2) << 16);
}

/** Four characters. */
function textAt(data: DataView, at: number): string {
	return String.fromCharCode(data.getUint8(at), data.getUint8(at + 1), data.getUint8(at + 2), data.getUint8(at + 3));
}
