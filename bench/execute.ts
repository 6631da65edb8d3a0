/** A command that does nothing, in a session of the local backend, against a bare bash. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";

export default defineBench({
	operation: 'execute("true")',
	floor: 'Bun.spawn(["bash", "-c", "true"])',
	samples: 300,
	target: 1.5,

	async open() {
		const { shell, signal, [Symbol.asyncDispose]: dispose } = await openLocalBenchShell();
		return {
			operation: () => execute(shell, "true", { signal }),
			floor: () => Bun.spawn(["bash", "-c", "true"]).exited,
			[Symbol.asyncDispose]: dispose,
		};
	},
});
