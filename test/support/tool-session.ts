/** The tools of this repository in a real shell session on this machine, for tests. */

import { loadPlugins } from "../../lib/base/plugins.ts";
import { backends } from "../../lib/environments/all.ts";
import { execute } from "../../lib/environments/shell/execute.ts";
import { readDirectly } from "../../lib/environments/shell/read-directly.ts";
import { openShell } from "../../lib/environments/shell/shell.ts";
import { FileState } from "../../lib/files/file-state.ts";
import { type Dispatched, dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import type { Tool, ToolContext } from "../../lib/registry/tool.ts";
import { createApprover } from "../../lib/security/approval.ts";
import { childEnvironment } from "../../lib/security/child-environment.ts";
import { createRedactor } from "../../lib/security/redact.ts";
import { tools } from "../../lib/tools/all.ts";

export interface ToolSession extends AsyncDisposable {
	readonly context: ToolContext;
	/** Calls a tool as a model would, with consent to everything. */
	dispatch(name: string, args: string | Readonly<Record<string, unknown>>): Promise<Dispatched>;
	/** The same, the answer as an object. */
	call(name: string, args: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

/** A session that begins in `cwd`; `variables` are added to its environment. */
export async function openToolSession(
	cwd: string,
	variables: Readonly<Record<string, string>> = {},
): Promise<ToolSession> {
	const { loaded, failures } = await loadPlugins(tools);
	const registry = createRegistry(loaded, failures);
	const load = backends.local;
	if (load === undefined) throw new Error("Cannot find the local backend");
	const backend = (await load()).default;
	const { signal } = new AbortController();
	const environment = { ...childEnvironment(process.env as Record<string, string>), HOME: cwd, ...variables };
	const sandbox = await backend.open(backend.config.parse({}), {
		signal,
		taskId: "test",
		home: cwd,
		hostEnvironment: environment,
	});
	const shell = await openShell({ sandbox, files: backend.files, cwd, environment, signal });
	const context: ToolContext = {
		sessionId: "test",
		taskId: "test",
		signal,
		fileState: new FileState(),
		redact: createRedactor(["a known value"]),
		execute: (command, options) => execute(shell, command, { signal, ...options }),
		readDirectly: (path) => readDirectly(shell, path),
		get cwd() {
			return shell.cwd;
		},
		ranOn: shell.ranOn,
	};
	const approve = createApprover({ mode: "yolo" });
	const call = (name: string, args: string | Readonly<Record<string, unknown>>) => {
		const beforeRun = (tool: Tool) => context.fileState?.pages.beforeCall(context.sessionId, tool);
		return dispatch({ registry, call: { name, arguments: args }, context, approve, beforeRun });
	};
	return {
		context,
		dispatch: call,
		call: async (name, args) => JSON.parse((await call(name, args)).answer),
		async [Symbol.asyncDispose]() {
			await shell[Symbol.asyncDispose]();
			await sandbox[Symbol.asyncDispose]();
		},
	};
}
