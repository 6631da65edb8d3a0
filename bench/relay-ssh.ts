/** A command that does nothing over ssh, through the relay, against one on this machine. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();

export default defineBench({
	operation: 'execute("true") over ssh',
	floor: 'execute("true") on this machine',
	samples: 200,
	target: 2,

	async open() {
		const sessions = await openSessions("ssh");
		return {
			operation: () => execute(sessions.relayed, "true", { signal }),
			floor: () => execute(sessions.local, "true", { signal }),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
