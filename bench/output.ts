/** Five megabytes of output through a session of the local backend, against reading them from a bare process. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";

const command = "head -c 5000000 /dev/zero";

export default defineBench({
	operation: "execute() of 5 MB of output",
	floor: "Bun.spawn() and its stdout read",
	samples: 100,

	async open() {
		const { shell, signal, [Symbol.asyncDispose]: dispose } = await openLocalBenchShell();
		return {
			operation: () => execute(shell, command, { signal, onOutput() {} }),
			floor: () => new Response(Bun.spawn(["bash", "-c", command]).stdout).arrayBuffer(),
			[Symbol.asyncDispose]: dispose,
		};
	},
});
