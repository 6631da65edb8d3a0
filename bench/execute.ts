/** A command that does nothing, in a session of the local backend, against a bare bash. */

import local from "../lib/environments/local/index.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import { defineBench } from "./bench.ts";

export default defineBench({
	operation: 'execute("true")',
	floor: 'Bun.spawn(["bash", "-c", "true"])',
	samples: 300,
	target: 1.5,

	async open() {
		const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };
		const { signal } = new AbortController();
		await using opened = new AsyncDisposableStack();
		const context = { signal, taskId: "bench", home: "/tmp", hostEnvironment: environment };
		const sandbox = opened.use(await local.open({}, context));
		const shell = opened.use(await openShell({ sandbox, files: "host", cwd: "/tmp", environment, signal }));
		const kept = opened.move();
		return {
			operation: () => execute(shell, "true", { signal }),
			floor: () => Bun.spawn(["bash", "-c", "true"]).exited,
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
