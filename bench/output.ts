/** Five megabytes of output through a session of the local backend, against reading them from a bare process. */

import local from "../lib/environments/local/index.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import { defineBench } from "./bench.ts";

const command = "head -c 5000000 /dev/zero";

export default defineBench({
	operation: "execute() of 5 MB of output",
	floor: "Bun.spawn() and its stdout read",
	samples: 100,

	async open() {
		const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };
		const { signal } = new AbortController();
		await using opened = new AsyncDisposableStack();
		const context = { signal, taskId: "bench", home: "/tmp", hostEnvironment: environment };
		const sandbox = opened.use(await local.open({}, context));
		const shell = opened.use(await openShell({ sandbox, files: "host", cwd: "/tmp", environment, signal }));
		const kept = opened.move();
		return {
			operation: () => execute(shell, command, { signal, onOutput() {} }),
			floor: () => new Response(Bun.spawn(["bash", "-c", command]).stdout).arrayBuffer(),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
