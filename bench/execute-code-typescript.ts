/** A script in TypeScript that prints one line, against the bare runtime. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";
import { openScriptBench } from "./script-bench.ts";

export default defineBench({
	operation: "execute_code console.log(1), in TypeScript",
	floor: "bun x.ts",
	samples: 100,
	target: 1.5,

	async open() {
		const local = await openLocalBenchShell();
		const bench = await openScriptBench(local.shell);
		const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		writeFileSync(join(folder, "x.ts"), "console.log(1);\n");
		const bare = () => Bun.spawn([process.execPath, "x.ts"], { stdio: ["ignore", "pipe", "inherit"], cwd: folder });
		return {
			operation: () => bench.run("console.log(1);", { language: "typescript" }),
			floor: () => new Response(bare().stdout).text(),
			async [Symbol.asyncDispose]() {
				rmSync(folder, { recursive: true });
				await local[Symbol.asyncDispose]();
			},
		};
	},
});
