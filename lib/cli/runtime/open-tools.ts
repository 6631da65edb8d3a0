/** The tools of one run: every tool module, wired to the shell and to whoever approves calls. */

import { loadPlugins } from "../../base/plugins.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import { type Dispatched, dispatch } from "../../registry/dispatch.ts";
import { createRegistry, type Registry } from "../../registry/registry.ts";
import type { ToolContext } from "../../registry/tool.ts";
import type { Approve } from "../../security/approval.ts";
import type { Cli } from "../subcommand.ts";

/** The session that calls belong to. */
export interface ToolSession {
	readonly registry: Registry;
	readonly shell: PooledShell;
	readonly approve: Approve;
	readonly sessionId: string;
	readonly taskId: string;
	/** Names that may be called; everything when left out. */
	readonly allowed?: ReadonlySet<string>;
}

/** What one call is given besides its name and arguments. */
export interface CallOptions {
	readonly signal: AbortSignal;
	onOutput?(text: string): void;
}

/** A call as a model or a script writes it. */
export interface Call {
	readonly name: string;
	readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** Loads every tool; a module that cannot be loaded is one warning and stops no other. */
export async function openRegistry(cli: Cli): Promise<Registry> {
	const { loaded, failures } = await loadPlugins(cli.plugins.tools);
	const registry = createRegistry(loaded, failures);
	for (const { name, reason } of registry.failures) cli.stderr.write(`hermes: Cannot load tool "${name}": ${reason}\n`);
	return registry;
}

/** Runs one call in `session`. Never throws: failures are answers. */
export function callTool(session: ToolSession, call: Call, options: CallOptions): Promise<Dispatched> {
	const { registry, approve, allowed } = session;
	const context = toolContext(session, options);
	return dispatch({ registry, call, context, approve, ...(allowed !== undefined && { allowed }) });
}

function toolContext({ shell, sessionId, taskId }: ToolSession, { signal, onOutput }: CallOptions): ToolContext {
	return {
		sessionId,
		taskId,
		signal,
		execute: (command, options) => shell.execute(command, { signal, ...(onOutput && { onOutput }), ...options }),
		get cwd() {
			return shell.cwd;
		},
		get ranOn() {
			return shell.ranOn;
		},
	};
}
