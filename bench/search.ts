/** A search over 20,000 files through a session, against bare ripgrep (or grep) through it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { search } from "../lib/files/search.ts";
import { defineBench } from "./bench.ts";
import { openFileSession } from "./file-session.ts";

const folders = 200;
const filesPerFolder = 100;

export default defineBench({
	operation: "search() over 20,000 files",
	floor: "execute() of rg, or grep -rn",
	samples: 10,
	target: 1.3,
	async open() {
		const session = await openFileSession();
		for (let folder = 0; folder < folders; folder++) {
			const path = join(session.folder, `folder${folder}`);
			mkdirSync(path);
			for (let file = 0; file < filesPerFolder; file++) {
				const needle = file === 0 ? "needle" : "hay";
				writeFileSync(join(path, `file${file}.txt`), `one\ntwo ${needle} ${file}\nthree\n`);
			}
		}
		const program = Bun.which("rg") === null ? "grep -rn" : "rg -n --no-config";
		return {
			operation: () =>
				search(session, { mode: "content", pattern: "needle", path: ".", glob: undefined, wanted: 1_000, context: 0 }),
			floor: () => session.execute(`${program} needle .`),
			[Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
		};
	},
});
