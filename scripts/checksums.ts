/** `SHA256SUMS`: one line a file, as `sha256sum -c` reads it. */

import { existsSync } from "node:fs";
import { join } from "node:path";

/** The file's name in the folder it speaks of. */
export const checksumFile = "SHA256SUMS";

/** Writes the sums of those of `names` that are in `folder`, in the given order. */
export async function writeChecksums(folder: string, names: readonly string[]): Promise<void> {
	const present = names.filter((name) => existsSync(join(folder, name)));
	const lines: string[] = [];
	// One at a time: eight executables at once would fill the memory.
	for (const name of present) lines.push(`${await sha256(join(folder, name))}  ${name}\n`);
	await Bun.write(join(folder, checksumFile), lines.join(""));
}

async function sha256(path: string): Promise<string> {
	const hasher = new Bun.CryptoHasher("sha256");
	for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
	return hasher.digest("hex");
}
