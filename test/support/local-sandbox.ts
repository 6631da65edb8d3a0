/** The local backend, opened for one test. */

import type { OpenContext, Sandbox } from "../../lib/environments/backend.ts";
import local from "../../lib/environments/local/index.ts";
import { type OpenShellOptions, openShell, type Shell } from "../../lib/environments/shell/shell.ts";

/** Enough to find the usual programs, and nothing of the machine the test runs on. */
export const plainEnvironment: Readonly<Record<string, string>> = {
	PATH: "/usr/local/bin:/usr/bin:/bin",
	HOME: "/nonexistent",
	LANG: "C.UTF-8",
};

/** A sandbox of the local backend. */
export function openLocal(
	settings: Parameters<typeof local.open>[0] = {},
	context: Partial<OpenContext> = {},
): Promise<Sandbox> {
	return local.open(settings, {
		signal: new AbortController().signal,
		taskId: "test",
		home: "/tmp",
		hostEnvironment: plainEnvironment,
		...context,
	});
}

/** A session in `sandbox`. */
export function openLocalShell(sandbox: Sandbox, options: Partial<OpenShellOptions> = {}): Promise<Shell> {
	const signal = new AbortController().signal;
	return openShell({ sandbox, files: "host", cwd: "/tmp", environment: plainEnvironment, signal, ...options });
}
