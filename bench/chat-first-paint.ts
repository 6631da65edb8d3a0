/** How soon a chat shows something on the terminal. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBench } from "./bench.ts";
import { buildProgram, builtHermes } from "./compiled-binaries.ts";
import { openOnTerminal } from "./on-terminal.ts";

export default defineBench({
	operation: "hermes on a terminal, until its first word is there",
	floor: "a compiled program that prints one word and stays",
	samples: 30,
	target: 3,

	async open() {
		const hermes = await builtHermes();
		const stays = await buildProgram("stays", 'console.log("hermes");\nsetInterval(() => {}, 60_000);\n');
		const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		const first = async (argv: string[]) => {
			await using program = openOnTerminal(argv, home);
			await program.shows("hermes");
		};
		return {
			operation: () => first([hermes, "-m", "m", "--base-url", "http://127.0.0.1:1/v1"]),
			floor: () => first([stays]),
			[Symbol.asyncDispose]: async () => rmSync(home, { recursive: true, force: true }),
		};
	},
});
