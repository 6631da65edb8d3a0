/** Pictures, sound and other bytes that servers answer with: kept as files for a while, so that they can be shown and sent on. */

import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { attemptAsync } from "../base/attempt.ts";

/** Bytes of the largest file. */
const largest = 25_000_000;
const keptMs = 7 * 24 * 3_600_000;

const extensions: Readonly<Record<string, string>> = {
	"image/png": "png",
	"image/jpeg": "jpg",
	"image/gif": "gif",
	"image/webp": "webp",
	"image/svg+xml": "svg",
	"audio/mpeg": "mp3",
	"audio/wav": "wav",
	"audio/ogg": "ogg",
	"application/pdf": "pdf",
};

/** Bytes in base64, and what they are. */
export interface Media {
	readonly base64: string;
	readonly mimeType: string;
}

/** Puts bytes into a file and gives its path; undefined when that cannot be done. */
export type SaveMedia = (media: Media) => Promise<string | undefined>;

/** How many bytes `base64` stands for. */
export function bytesOf(base64: string): number {
	return Buffer.byteLength(base64, "base64");
}

/** Saves into the cache of `home`, readable by its user alone; what is older than a week goes when something new comes. */
export function mediaCache(home: string): SaveMedia {
	const folder = join(home, "cache", "mcp");
	return async ({ base64, mimeType }) => {
		if (bytesOf(base64) > largest) return undefined;
		const saved = await attemptAsync(async () => {
			const bytes = Buffer.from(base64, "base64");
			if (bytes.length === 0) return undefined;
			const name = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
			const path = join(folder, `${name}.${extensions[mimeType.split(";")[0]?.trim() ?? ""] ?? "bin"}`);
			await mkdir(folder, { recursive: true, mode: 0o700 });
			await removeOld(folder);
			await writeFile(path, bytes, { mode: 0o600 });
			return path;
		});
		return saved.ok ? saved.value : undefined;
	};
}

async function removeOld(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		// Another process may have removed it.
		await attemptAsync(async () => {
			if (Date.now() - (await stat(path)).mtimeMs > keptMs) await rm(path);
		});
	}
}
