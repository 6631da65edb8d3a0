/** Images on their way into a home. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readImageFile } from "../../lib/images/image-file.ts";
import { ImageRefused } from "../../lib/images/image-refused.ts";
import { imageBytes, imagePath, imagesFolder, keepImage } from "../../lib/images/image-store.ts";
import { type ImageHeader, isCutOff, readImage } from "../../lib/images/read-image.ts";
import { pngPicture } from "../support/picture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const base64 = (text: string) => Buffer.from(text, "base64");

const picture = pngPicture(4, 3);

test.each([
	["image/png", picture],
	["image/jpeg", Buffer.from(await new Bun.Image(picture).jpeg().bytes())],
	["image/jpeg", Buffer.from(await new Bun.Image(picture).jpeg({ progressive: true }).bytes())],
	["image/webp", Buffer.from(await new Bun.Image(picture).webp().bytes())],
	["image/webp", Buffer.from(await new Bun.Image(picture).webp({ lossless: true }).bytes())],
	["image/webp", Buffer.from("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x03\0\0\x02\0\0", "latin1")],
	["image/gif", Buffer.from("GIF89a\x04\0\x03\0\0\0\0", "latin1")],
] as const)("readImage() reads kind and size of %s", (mediaType, bytes) => {
	expect(readImage(bytes)).toEqual({ mediaType, width: 4, height: 3 });
});

test("readImage() reads nothing from a header that is cut off, empty, or of another kind", () => {
	for (let length = 0; length < 24; length++) expect(readImage(picture.subarray(0, length))).toBeUndefined();
	for (const bytes of [
		Buffer.from("%PDF-1.7 and more text"),
		Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
		pngPicture(0, 9),
	]) {
		expect(readImage(bytes)).toBeUndefined();
	}
});

test("keepImage() keeps the bytes once, for the user only, and describes them", async () => {
	using home = temporaryFolder();
	const image = await keepImage(home.path, picture, { name: "plot.png" });
	expect(await keepImage(home.path, picture, { name: "plot.png" })).toEqual(image);
	expect(image).toEqual({
		sha256: new Bun.CryptoHasher("sha256").update(picture).digest("hex"),
		mediaType: "image/png",
		bytes: picture.length,
		width: 4,
		height: 3,
		name: "plot.png",
	});
	expect(readdirSync(join(home.path, imagesFolder))).toEqual([`${image.sha256}.png`]);
	expect(statSync(imagePath(home.path, image)).mode & 0o777).toBe(0o600);
	expect(picture.equals(imageBytes(home.path, image) ?? Buffer.alloc(0))).toBe(true);
});

test("imageBytes() has nothing for a file that somebody changed, and keepImage() puts it right", async () => {
	using home = temporaryFolder();
	const image = await keepImage(home.path, picture);
	writeFileSync(imagePath(home.path, image), "other bytes");
	expect(imageBytes(home.path, image)).toBeUndefined();
	await keepImage(home.path, picture);
	expect(imageBytes(home.path, image)).toBeDefined();
});

test.each<[string, Uint8Array, string]>([
	["another kind", base64("JVBERi0xLjcKJeLjz9MK"), "no PNG, JPEG, GIF or WebP"],
	["more than 20 MB", Buffer.alloc(20 * 1024 * 1024 + 1), "20 MB is the most"],
	["too large and broken", pngPicture(9_000, 1).subarray(0, 40), "cannot be decoded"],
	["a PNG whose end is missing", picture.subarray(0, -12), "its end is missing"],
	["a header that lies", pngHeader(11_000, 11_000), "too many"],
])("keepImage() refuses %s and says what to do", async (_, bytes, reason) => {
	using home = temporaryFolder();
	const refused = await keepImage(home.path, bytes, { name: "x.png" }).catch((error: unknown) => error);
	expect(refused).toBeInstanceOf(ImageRefused);
	expect(String(refused)).toContain(reason);
	expect(String(refused)).toMatch(/; (?:save|copy|crop|convert)/);
});

test("keepImage() says that a home takes no file; imageBytes() has nothing for what cannot be read", async () => {
	using home = temporaryFolder();
	writeFileSync(join(home.path, imagesFolder), "in the way");
	expect(keepImage(home.path, picture, { name: "x.png" })).rejects.toThrow(/^Cannot attach "x.png": it cannot be kept/);
	using other = temporaryFolder();
	const image = { sha256: "a".repeat(64), mediaType: "image/png", bytes: 1, width: 1, height: 1 } as const;
	mkdirSync(imagePath(other.path, image), { recursive: true });
	expect(imageBytes(other.path, image)).toBeUndefined();
});

test("isCutOff() knows the end of a PNG and of a WebP", async () => {
	const webp = await new Bun.Image(picture).webp().bytes();
	const all = [picture, webp].flatMap((bytes) => [
		bytes,
		Buffer.concat([bytes, Buffer.alloc(9)]),
		bytes.subarray(0, -1),
	]);
	expect(all.map((bytes) => isCutOff(bytes, readImage(bytes) as ImageHeader))).toEqual([
		false,
		false,
		true,
		false,
		false,
		true,
	]);
});

test.skipIf(process.platform !== "linux")("readImageFile() refuses what has no end, and takes a file as it is", () => {
	using home = temporaryFolder();
	const path = join(home.path, "x.png");
	writeFileSync(path, picture);
	expect(picture.equals(readImageFile(path))).toBeTrue();
	writeFileSync(path, "");
	for (const [endless, why] of [
		[path, "empty"],
		["/proc/version", "empty"],
		["/dev/zero", "no file"],
		[home.path, "no file"],
	] as const) {
		expect(() => readImageFile(endless)).toThrow(why);
	}
});

test("keepImage() makes an image smaller that has too many pixels a side, or too many bytes", async () => {
	using home = temporaryFolder();
	const wide = await keepImage(home.path, pngPicture(8_100, 27));
	expect([wide.width, wide.height, wide.mediaType]).toEqual([7_900, 26, "image/png"]);
	const heavy = await keepImage(home.path, pngPicture(30, 20, 4 * 1024 * 1024));
	expect([heavy.width, heavy.height]).toEqual([30, 20]);
	expect(heavy.bytes).toBeLessThan(1_000);
});

function pngHeader(width: number, height: number): Buffer {
	const bytes = Buffer.from(picture);
	bytes.writeUInt32BE(width, 16);
	bytes.writeUInt32BE(height, 20);
	return bytes;
}
