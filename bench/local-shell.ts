/** A session of the local backend for benches: a plain environment, no start-up files of a user. */

import local from "../lib/environments/local/index.ts";
import { openShell, type Shell } from "../lib/environments/shell/shell.ts";

/** An open session; disposing it ends the sandbox too. */
export interface BenchShell extends AsyncDisposable {
	readonly shell: Shell;
	readonly signal: AbortSignal;
}

/** Opens a session in /tmp. */
export async function openLocalBenchShell(): Promise<BenchShell> {
	const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };
	const { signal } = new AbortController();
	await using opened = new AsyncDisposableStack();
	const context = { signal, taskId: "bench", home: "/tmp", hostEnvironment: environment };
	const sandbox = opened.use(await local.open({}, context));
	const shell = opened.use(await openShell({ sandbox, files: "host", cwd: "/tmp", environment, signal }));
	const kept = opened.move();
	return { shell, signal, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
