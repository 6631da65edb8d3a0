/** A command that leaves a process with its output, in a container through the relay, against the same without its output. */

import { execute } from "../lib/environments/shell/execute.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();

export default defineBench({
	operation: 'execute("sleep 5 & true")',
	floor: 'execute("sleep 5 >/dev/null 2>&1 & true")',
	samples: 60,

	async open() {
		const sessions = await openSessions("docker");
		const run = (command: string) => execute(sessions.relayed, command, { signal });
		return {
			operation: () => run("sleep 5 & true"),
			floor: () => run("sleep 5 >/dev/null 2>&1 & true"),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
