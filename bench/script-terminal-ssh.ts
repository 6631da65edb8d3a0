/** A command that does nothing, called by a script over ssh, against the same command run directly there. */

import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";
import { openTerminalPair } from "./script-bench.ts";

export default defineBench({
	operation: '10 × terminal("true") from a script over ssh',
	floor: '10 × execute("true") in the same session',
	samples: 30,
	target: 1.3,

	async open() {
		const sessions = await openSessions("ssh");
		return openTerminalPair(sessions.relayed, sessions);
	},
});
