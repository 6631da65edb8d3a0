/** The images of all conversations of one home: each a file that is named after the hash of its bytes and never changes. */

import { mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../base/atomic-write.ts";
import { attempt } from "../base/attempt.ts";
import type { ImageMediaType, MessageImage } from "../base/conversation.ts";
import { fitImage } from "./fit-image.ts";
import { ImageRefused } from "./image-refused.ts";
import { isCutOff, readImage } from "./read-image.ts";

/** Below the home. */
export const imagesFolder = "images";

const largestBytes = 20 * 1024 * 1024;

const extensions: { readonly [type in ImageMediaType]: string } = {
	"image/png": "png",
	"image/jpeg": "jpg",
	"image/gif": "gif",
	"image/webp": "webp",
};

/**
 * Keeps an image and describes it for a message. One that is above what providers take is made smaller first; the same image
 * twice is one file. The file has the mode 0600.
 * @throws {ImageRefused} When it is no PNG, JPEG, GIF or WebP, larger than 20 MB or broken, or when the home takes no file; the message says
 * what to do.
 */
export async function keepImage(
	home: string,
	bytes: Uint8Array,
	{ name }: { readonly name?: string } = {},
): Promise<MessageImage> {
	const label = name === undefined ? "the image" : `"${name}"`;
	if (bytes.length > largestBytes) {
		throw new ImageRefused(
			`Cannot attach ${label}: it has ${(bytes.length / 1024 / 1024).toFixed(0)} MB, and 20 MB is the most; save it smaller or crop it`,
		);
	}
	const header = readImage(bytes);
	if (header === undefined) {
		throw new ImageRefused(
			`Cannot attach ${label}: it is no PNG, JPEG, GIF or WebP image, or it is cut off; convert it to PNG first`,
		);
	}
	const fitted = await fitImage({ bytes, header }, label);
	if (isCutOff(fitted.bytes, fitted.header)) {
		throw new ImageRefused(`Cannot attach ${label}: its end is missing; copy or save it again`);
	}
	const image: MessageImage = {
		sha256: hashOf(fitted.bytes),
		mediaType: fitted.header.mediaType,
		bytes: fitted.bytes.length,
		width: fitted.header.width,
		height: fitted.header.height,
		...(name !== undefined && { name }),
	};
	const kept = attempt(() => writeImage(home, image, fitted.bytes));
	if (!kept.ok) throw new ImageRefused(`Cannot attach ${label}: it cannot be kept in ${home}: ${kept.reason}`);
	return image;
}

function writeImage(home: string, image: MessageImage, bytes: Uint8Array): void {
	mkdirSync(join(home, imagesFolder), { recursive: true, mode: 0o700 });
	const path = imagePath(home, image);
	const now = new Date();
	// Written again when somebody changed it; else it is as new, and no draft that was forgotten.
	if (imageBytes(home, image) === undefined) writeFileAtomically(path, bytes);
	else utimesSync(path, now, now);
}

/** The bytes of an image, exactly those that were kept; undefined when its file is gone, was changed or cannot be read. */
export function imageBytes(home: string, image: MessageImage): Uint8Array | undefined {
	const bytes = attempt(() => readFileSync(imagePath(home, image)));
	return bytes.ok && hashOf(bytes.value) === image.sha256 ? bytes.value : undefined;
}

/** Where the file of an image is. */
export function imagePath(home: string, image: Pick<MessageImage, "sha256" | "mediaType">): string {
	return join(home, imagesFolder, imageFileName(image));
}

/** `<sha256>.<extension>`. */
export function imageFileName({ sha256, mediaType }: Pick<MessageImage, "sha256" | "mediaType">): string {
	return `${sha256}.${extensions[mediaType]}`;
}

function hashOf(bytes: Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
