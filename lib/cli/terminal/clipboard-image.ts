/** A picture in the clipboard of the user's desktop, as a file that the editor can name. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Programs that write a picture of the clipboard to standard output, for Wayland, X11 and macOS. */
const readers: readonly (readonly string[])[] = [
	["wl-paste", "--no-newline", "--type", "image/png"],
	["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
	["pngpaste", "-"],
];
/** A clipboard whose owner does not answer. */
const longestMs = 2_000;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Saves the picture below `hermesHome` and gives its path; undefined when there is none, or nothing that could read it. */
export async function saveClipboardImage(hermesHome: string, path: string | undefined): Promise<string | undefined> {
	for (const [name = "", ...args] of readers) {
		const program = Bun.which(name, { PATH: path ?? "" });
		const image = program === null ? undefined : await outputOf([program, ...args]);
		if (image === undefined || !image.subarray(0, pngSignature.length).equals(pngSignature)) continue;
		const folder = join(hermesHome, "images");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const file = join(folder, `pasted-${crypto.randomUUID().slice(0, 8)}.png`);
		writeFileSync(file, image, { mode: 0o600 });
		return file;
	}
	return undefined;
}

async function outputOf(argv: string[]): Promise<Buffer | undefined> {
	const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "ignore", timeout: longestMs });
	const output = Buffer.from(await new Response(child.stdout).arrayBuffer());
	return (await child.exited) === 0 ? output : undefined;
}
