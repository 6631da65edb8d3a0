/** A tool call that does nothing, from a script on this machine. */

import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";
import { openCallPair } from "./script-bench.ts";

export default defineBench({
	operation: "no-op tool call of a script, on this machine",
	floor: "60 bytes to a Python and back over a Unix socket",
	samples: 1_000,

	async open() {
		const local = await openLocalBenchShell();
		return openCallPair(local.shell, local);
	},
});
