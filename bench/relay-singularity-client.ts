/** A command that does nothing in an instance, through the relay, against the apptainer program. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();

export default defineBench({
	operation: 'execute("true") in an instance',
	floor: "apptainer exec INSTANCE bash -c true",
	samples: 60,
	target: 0.05,

	async open() {
		const sessions = await openSessions("singularity");
		return {
			operation: () => execute(sessions.relayed, "true", { signal }),
			floor: () => sessions.runClient("true"),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
