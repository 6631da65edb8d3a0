/** A command that does nothing over ssh, through the relay, against the ssh program with a shared connection. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();

export default defineBench({
	operation: 'execute("true") over ssh',
	floor: "ssh HOST true, with ControlMaster",
	samples: 100,
	target: 0.33,

	async open() {
		const sessions = await openSessions("ssh");
		return {
			operation: () => execute(sessions.relayed, "true", { signal }),
			floor: () => sessions.runClient("true"),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
