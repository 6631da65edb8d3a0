/** A page of 2,000 lines through a session, against `cat` of the same lines through it. */

import { join } from "node:path";
import { readPage } from "../lib/files/read.ts";
import { defineBench } from "./bench.ts";
import { openFileSession } from "./file-session.ts";

const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} of a file that is read`);

export default defineBench({
	operation: "readPage() of 2,000 lines",
	floor: "execute() of cat",
	samples: 50,
	target: 1.5,
	async open() {
		const session = await openFileSession();
		await Bun.write(join(session.folder, "f"), `${lines.join("\n")}\n`);
		return {
			operation: () => readPage(session, { path: "f", offset: 1, limit: 2_000 }),
			floor: () => session.execute("cat f"),
			[Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
		};
	},
});
