/** A look at 5,000 files of which none changed, against a bare walk. */

import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalFiles } from "../lib/environments/sync/local-files.ts";
import { defineBench } from "./bench.ts";
import { fillTree } from "./synced.ts";

/** Counts files, looking at each. */
function walk(folder: string): number {
	let count = 0;
	for (const name of readdirSync(folder)) {
		const path = `${folder}/${name}`;
		count += lstatSync(path).isDirectory() ? walk(path) : 1;
	}
	return count;
}

export default defineBench({
	operation: "idle look at 5,000 files",
	floor: "readdir and lstat of the same",
	samples: 100,
	target: 1.2,

	async open() {
		const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		fillTree(folder);
		const local = new LocalFiles();
		const sources = { files: [], trees: [{ from: folder, to: "skills", comesBack: false }] };
		for (const { path, ...file } of local.changes(sources, Date.now()).changed) {
			local.note(path, { ...file, isFresh: false, isThere: true });
		}
		return {
			operation: async () => local.changes(sources, Date.now()),
			floor: async () => walk(folder),
			[Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
		};
	},
});
