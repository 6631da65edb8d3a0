/** A local session in a folder of its own, for the benches of file tools. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import local from "../lib/environments/local/index.ts";
import type { ExecuteOptions, Outcome } from "../lib/environments/outcome.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import { type ReadDirectly, readDirectly } from "../lib/environments/shell/read-directly.ts";
import { openShell } from "../lib/environments/shell/shell.ts";

export interface FileSession extends AsyncDisposable {
	readonly folder: string;
	execute(command: string, options?: Partial<ExecuteOptions>): Promise<Outcome>;
	readonly readDirectly: ReadDirectly;
}

/** Disposing it removes the folder. */
export async function openFileSession(): Promise<FileSession> {
	const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" };
	const { signal } = new AbortController();
	await using opened = new AsyncDisposableStack();
	opened.defer(() => rmSync(folder, { recursive: true }));
	const context = { signal, taskId: "bench", home: folder, hostEnvironment: environment };
	const sandbox = opened.use(await local.open({}, context));
	const shell = opened.use(await openShell({ sandbox, files: "host", cwd: folder, environment, signal }));
	const kept = opened.move();
	return {
		folder,
		execute: (command, options) => execute(shell, command, { signal, onOutput() {}, ...options }),
		readDirectly: (path) => readDirectly(shell, path),
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}
