/** A script that prints one line, against the bare interpreter. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";
import { openScriptBench } from "./script-bench.ts";

export default defineBench({
	operation: "execute_code print(1)",
	floor: 'python3 -c "print(1)"',
	samples: 100,
	target: 1.5,

	async open() {
		const local = await openLocalBenchShell();
		// Not a shim of a version manager, which takes longer than Python itself.
		await execute(local.shell, "export PATH=/usr/bin:/bin", { signal: local.signal });
		const bench = await openScriptBench(local.shell);
		const bare = { stdio: ["ignore", "pipe", "inherit"], cwd: "/tmp" } as const;
		return {
			operation: () => bench.run("print(1)"),
			floor: () =>
				new Response(
					Bun.spawn(["/usr/bin/python3", "-c", "print(1)"], { ...bare, stdio: [...bare.stdio] }).stdout,
				).text(),
			[Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
		};
	},
});
