/** A command that does nothing, called by a script on this machine, against the same command run directly. */

import { defineBench } from "./bench.ts";
import { openLocalBenchShell } from "./local-shell.ts";
import { openTerminalPair } from "./script-bench.ts";

export default defineBench({
	operation: '10 × terminal("true") from a script, on this machine',
	floor: '10 × execute("true") in the same session',
	samples: 30,
	target: 1.3,

	async open() {
		const local = await openLocalBenchShell();
		return openTerminalPair(local.shell, local);
	},
});
