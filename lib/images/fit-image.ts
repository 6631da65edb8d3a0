/** Makes an image small enough for every provider, before it becomes part of a history that is sent again and again. */

import { ImageRefused } from "./image-refused.ts";
import { type ImageHeader, readImage } from "./read-image.ts";

/** Bytes and pixels a side; providers refuse a whole conversation above 5 MB or 8000 pixels. */
export const imageLimits = { bytes: 4 * 1024 * 1024, side: 7_900 } as const;

/** Sides that are tried for an image with too many bytes, in pixels; models see no more than the first of them anyway. */
const smallerSides = [2_000, 1_400, 1_000];
/** What a camera makes. More takes a minute and a gigabyte to decode, and a file of a few bytes can say that it has so many. */
const mostPixels = 120_000_000;
/** Quality of the JPEG that stands in for a PNG that stays too large; 1 to 100. */
const jpegQuality = 85;

/** An image and what its header says. */
export interface FittedImage {
	readonly bytes: Uint8Array;
	readonly header: ImageHeader;
}

/**
 * The image itself when it is within `imageLimits`, else a smaller one: scaled down with its proportions kept, in its own format
 * or, where that is still too much, as a JPEG. Of an animation the first picture is left.
 * @throws {ImageRefused} When it cannot be decoded.
 */
export async function fitImage({ bytes, header }: FittedImage, label: string): Promise<FittedImage> {
	if (fits({ bytes, header })) return { bytes, header };
	if (header.width * header.height > mostPixels) {
		throw new ImageRefused(
			`Cannot attach ${label}: ${header.width}×${header.height} pixels are too many to make it smaller; crop it or save it with less than 7900 pixels a side`,
		);
	}
	const longest = Math.max(header.width, header.height);
	const sides = bytes.length > imageLimits.bytes ? smallerSides : [imageLimits.side, ...smallerSides];
	try {
		for (const side of sides) {
			for (const asJpeg of [false, true]) {
				const made = await scaled(bytes, header, { factor: Math.min(1, side / longest), asJpeg });
				const madeHeader = readImage(made);
				if (madeHeader !== undefined && fits({ bytes: made, header: madeHeader })) {
					return { bytes: made, header: madeHeader };
				}
			}
		}
	} catch (cause) {
		throw new ImageRefused(
			`Cannot attach ${label}: it is too large (${header.width}×${header.height}, ${bytes.length} bytes) and cannot be decoded to make it smaller; save it again as a PNG or JPEG below 4 MB`,
			{ cause },
		);
	}
	throw new ImageRefused(`Cannot attach ${label}: it stays above 4 MB however small it is made; crop it first`);
}

function fits({ bytes, header }: FittedImage): boolean {
	return bytes.length <= imageLimits.bytes && header.width <= imageLimits.side && header.height <= imageLimits.side;
}

async function scaled(
	bytes: Uint8Array,
	header: ImageHeader,
	{ factor, asJpeg }: { readonly factor: number; readonly asJpeg: boolean },
): Promise<Uint8Array> {
	const image = new Bun.Image(bytes).resize(
		Math.max(1, Math.round(header.width * factor)),
		Math.max(1, Math.round(header.height * factor)),
	);
	if (asJpeg) return await image.jpeg({ quality: jpegQuality }).bytes();
	// There is no encoder for GIF.
	return await (header.mediaType === "image/gif" ? image.png() : image).bytes();
}
