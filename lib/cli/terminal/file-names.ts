/** Names of files for completion: those of a project, and those of one folder. */

import { type Dirent, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Files of a large tree beyond this are not offered. */
const mostFiles = 5_000;
/** Folders that are full of what nobody names. */
const leftOut = new Set([
	".git",
	".hg",
	".svn",
	"node_modules",
	".venv",
	"venv",
	"__pycache__",
	"target",
	"dist",
	".cache",
]);

const order = new Intl.Collator("en");

/** Paths below `root`, relative, folders with a slash, those near the top first. A folder that cannot be read is empty. */
export async function projectFiles(root: string): Promise<readonly string[]> {
	const found: string[] = [];
	const folders = [""];
	for (let at = 0; at < folders.length && found.length < mostFiles; at++) {
		const folder = folders[at] ?? "";
		const entries = await entriesOf(join(root, folder));
		const shown = entries.filter((entry) => !(entry.isDirectory() && leftOut.has(entry.name)));
		const paths = shown.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`);
		found.push(...paths);
		folders.push(...paths.filter((path) => path.endsWith("/")));
	}
	return found.slice(0, mostFiles);
}

/** What `typed`, the beginning of a path, may become; hidden names only when a dot was typed. */
export function listedPaths(
	typed: string,
	{ root, home }: { readonly root: string; readonly home: string },
): readonly string[] {
	const cut = typed.lastIndexOf("/") + 1;
	const folder = typed.slice(0, cut);
	const begun = typed.slice(cut);
	const place = folder.startsWith("~/") ? join(home, folder.slice(2)) : resolve(root, folder);
	try {
		return readdirSync(place, { withFileTypes: true })
			.filter(({ name }) => name.startsWith(begun) && (begun.startsWith(".") || !name.startsWith(".")))
			.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
			.sort();
	} catch {
		// There is no such folder, or it is not ours to read.
		return [];
	}
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
	try {
		const entries = await readdir(folder, { withFileTypes: true });
		return entries.sort((left, right) => order.compare(left.name, right.name));
	} catch {
		return [];
	}
}
