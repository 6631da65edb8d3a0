/** A hundred megabytes of output of a container through the relay, against the engine's own stream. */

import type { Sandbox } from "../lib/environments/backend.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";

const { signal } = new AbortController();
const argv = ["head", "-c", "100000000", "/dev/zero"];

async function readAll(sandbox: Sandbox): Promise<void> {
	const env = { PATH: "/usr/bin:/bin" };
	const running = await sandbox.start(argv, { env, cwd: "/", stdin: "none", signal });
	for await (const _chunk of running.output);
	await running.exited;
}

export default defineBench({
	operation: "100 MB of output through the relay in docker",
	floor: "100 MB of output of docker itself",
	samples: 15,
	target: 2,

	async open() {
		const sessions = await openSessions("docker");
		return {
			operation: () => readAll(sessions.relayed.sandbox),
			floor: () => readAll(sessions.plain),
			[Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
		};
	},
});
