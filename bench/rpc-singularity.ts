/** A tool call that does nothing, from a script in singularity, through the relay. */

import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";
import { openCallPair } from "./script-bench.ts";

export default defineBench({
	operation: "no-op tool call of a script in singularity",
	floor: "60 bytes to a Python and back over a Unix socket on this machine",
	samples: 500,

	async open() {
		const sessions = await openSessions("singularity");
		return openCallPair(sessions.relayed, sessions);
	},
});
