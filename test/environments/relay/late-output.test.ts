/** Output that comes just after the end of a command, where looking at all processes takes the relay long. */

import { expect, test } from "bun:test";
import { openLocalRelay } from "./open-local-relay.ts";
import { sh } from "./programs.ts";

const crowd = 500;
const times = 20;

test.skipIf(process.platform !== "linux")(
	"what passes through a process substitution arrives on a machine with many processes (#7846)",
	async () => {
		const script = `for i in $(seq ${crowd}); do sleep 60 & done; echo up; wait`;
		const others = Bun.spawn(["setsid", "sh", "-c", script], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
		try {
			await others.stdout.getReader().read();
			await using sandbox = await openLocalRelay();
			const said: string[] = [];
			for (let time = 0; time < times; time++) said.push(await sh(sandbox, "exec bash -c 'exec > >(cat); echo hi'"));
			expect(said).toEqual(Array.from({ length: times }, () => "hi\n"));
		} finally {
			process.kill(-others.pid, "SIGKILL");
		}
	},
	60_000,
);
