/** A session whose scripts call the tools of this repository, in any shell, for tests. */

import { z } from "zod";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { execute } from "../../lib/environments/shell/execute.ts";
import type { Shell } from "../../lib/environments/shell/shell.ts";
import { FileState } from "../../lib/files/file-state.ts";
import { type Dispatched, dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry, type Registry } from "../../lib/registry/registry.ts";
import type { ScriptSession, Tool, ToolContext } from "../../lib/registry/tool.ts";
import { defineTool, toolResult } from "../../lib/registry/tool.ts";
import { runScript, type ScriptRequest, type ScriptResult } from "../../lib/rpc/run-script.ts";
import { type ApproverOptions, createApprover } from "../../lib/security/approval.ts";
import { createRedactor } from "../../lib/security/redact.ts";
import { tools } from "../../lib/tools/all.ts";

/** How a session is opened. */
export interface ScriptSessionOptions {
	/** Names that may be called; everything when left out. */
	readonly enabled?: readonly string[];
	readonly approve?: ApproverOptions;
	/** Told of each call of a script before it runs. */
	onCall?(name: string): void;
}

/** An open session. It owns nothing: the shell is the caller's. */
export interface OpenScriptSession {
	readonly registry: Registry;
	readonly scripts: ScriptSession;
	/** Runs a script as the tool would, with its defaults. */
	run(code: string, request?: Partial<ScriptRequest>): Promise<ScriptResult>;
	/** Calls a tool as a model would. */
	call(name: string, args: Readonly<Record<string, unknown>>, context?: Partial<ToolContext>): Promise<Dispatched>;
	/** What a call is given. */
	context(signal?: AbortSignal): ToolContext;
}

/** Tools that would need the network answer with their arguments. */
const standIns: readonly Tool[] = [
	defineTool({
		name: "web_search",
		toolset: "web",
		description: "Search.",
		args: z.object({ query: z.string(), limit: z.int().default(5) }),
		run: async (args) => toolResult({ searched: args }),
	}),
	defineTool({
		name: "web_extract",
		toolset: "web",
		description: "Read pages.",
		args: z.object({ urls: z.array(z.string()) }),
		run: async (args) => toolResult({ extracted: args }),
	}),
];

/** Opens a session in `shell`. */
export async function openScriptSession(shell: Shell, options: ScriptSessionOptions = {}): Promise<OpenScriptSession> {
	const { loaded } = await loadPlugins(tools);
	const own = [...loaded.values()].filter(({ name }) => standIns.every((standIn) => standIn.name !== name));
	const registry = createRegistry([...own, ...standIns]);
	const approve = createApprover(options.approve ?? { mode: "yolo" });
	const fileState = new FileState();
	const remembered: ScriptSession["remembered"] = new WeakMap();
	const allowed = options.enabled === undefined ? undefined : new Set(options.enabled);
	const { signal: never } = new AbortController();
	const contextOf = (signal = never): ToolContext => ({
		sessionId: "test",
		taskId: "test",
		signal,
		fileState,
		scripts,
		...(allowed && { enabledTools: allowed }),
		execute: (command, more) => execute(shell, command, { signal, ...more }),
		get cwd() {
			return shell.cwd;
		},
		ranOn: shell.ranOn,
	});
	const call: OpenScriptSession["call"] = (name, args, more = {}) =>
		dispatch({
			registry,
			call: { name, arguments: args },
			context: { ...contextOf(more.signal), ...more },
			approve,
			allowed,
			isProgram: more.isScript,
		});
	const scripts: ScriptSession = {
		tools: async () => registry.list().filter(({ name }) => allowed?.has(name) !== false),
		parameters: (tool) => registry.parameters(tool),
		async call({ name, arguments: args }, signal) {
			options.onCall?.(name);
			return (await call(name, args, { signal, isScript: true })).answer;
		},
		inSandbox: (signal, use) => use(shell, signal),
		remembered,
	};
	return {
		registry,
		scripts,
		call,
		context: contextOf,
		run: (code, request = {}) =>
			runScript(scripts, {
				code,
				mode: "project",
				timeoutSeconds: 60,
				maxCalls: 50,
				withServers: false,
				passthrough: [],
				redact: createRedactor(),
				signal: never,
				...request,
			}),
	};
}
