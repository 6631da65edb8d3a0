/** What benches of scripts share: a session whose scripts call tools that do nothing, and a script that calls over and over. */

import { z } from "zod";
import { loadPlugins } from "../lib/base/plugins.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import type { Shell } from "../lib/environments/shell/shell.ts";
import { dispatch } from "../lib/registry/dispatch.ts";
import { createRegistry } from "../lib/registry/registry.ts";
import { defineTool, type ScriptSession, type ToolContext, toolResult } from "../lib/registry/tool.ts";
import { runScript, type ScriptRequest, type ScriptResult } from "../lib/rpc/run-script.ts";
import { createApprover } from "../lib/security/approval.ts";
import { createRedactor } from "../lib/security/redact.ts";
import { tools } from "../lib/tools/all.ts";
import type { Pair } from "./bench.ts";

/** Runs scripts and single calls. */
export interface ScriptBench {
	run(code: string, request?: Partial<ScriptRequest>): Promise<ScriptResult>;
	/** Called before each call of a script. */
	beforeCall(wait: () => Promise<unknown>): void;
	readonly context: ToolContext;
}

const { signal } = new AbortController();

/** Scripts in `shell` may call every tool; `web_search` answers at once. */
export async function openScriptBench(shell: Shell): Promise<ScriptBench> {
	let wait = async (): Promise<unknown> => undefined;
	const noOp = defineTool({
		name: "web_search",
		toolset: "web",
		description: "Nothing.",
		args: z.object({ query: z.string().default("") }),
		run: async () => toolResult({}),
	});
	const { loaded } = await loadPlugins(tools);
	const registry = createRegistry([...[...loaded.values()].filter(({ name }) => name !== noOp.name), noOp]);
	const approve = createApprover({ mode: "yolo" });
	const contextOf = (signal: AbortSignal): ToolContext => ({
		sessionId: "bench",
		taskId: "bench",
		signal,
		execute: (command, more) => execute(shell, command, { signal, ...more }),
		cwd: shell.cwd,
		ranOn: shell.ranOn,
	});
	const scripts: ScriptSession = {
		tools: async () => registry.list(),
		parameters: (tool) => registry.parameters(tool),
		async call({ name, arguments: args }, stop) {
			await wait();
			const call = { name, arguments: args };
			return (await dispatch({ registry, call, context: contextOf(stop), approve, isProgram: true })).answer;
		},
		inSandbox: (stop, use) => use(shell, stop),
		remembered: new WeakMap(),
	};
	const defaults = {
		mode: "project",
		timeoutSeconds: 600,
		maxCalls: 1e9,
		withServers: false,
		passthrough: [],
	} as const;
	return {
		run: (code, request) => runScript(scripts, { ...defaults, code, redact: createRedactor(), signal, ...request }),
		beforeCall(before) {
			wait = before;
		},
		context: contextOf(signal),
	};
}

/** A script that is held at a call; each lap lets it go on until it has made so many more. */
export interface Laps extends AsyncDisposable {
	lap(): Promise<void>;
}

/** Starts `code`, which has to call tools for ever; it is held at each `calls`-th. */
export async function openLaps(bench: ScriptBench, code: string, calls: number): Promise<Laps> {
	const stop = new AbortController();
	let arrived = Promise.withResolvers<void>();
	let leave = Promise.withResolvers<void>();
	let made = 0;
	bench.beforeCall(async () => {
		if (made++ % calls !== 0) return;
		arrived.resolve();
		return leave.promise;
	});
	const ended = bench.run(code, { signal: stop.signal });
	const failed = ended.then((result) => Promise.reject(new Error(`Cannot measure: ${JSON.stringify(result)}`)));
	failed.catch(() => undefined);
	await Promise.race([arrived.promise, failed]);
	return {
		async lap() {
			const { resolve } = leave;
			arrived = Promise.withResolvers<void>();
			leave = Promise.withResolvers<void>();
			resolve();
			await Promise.race([arrived.promise, failed]);
		},
		async [Symbol.asyncDispose]() {
			stop.abort(new Error("The measurement has ended"));
			leave.resolve();
			await ended;
		},
	};
}

/** A script that calls and does nothing else. */
export const callForEver = "from hermes_tools import web_search\nwhile True: web_search()";

/** A call of a tool that does nothing, from a script in `shell`, against a round trip over a socket on this machine. */
export async function openCallPair(shell: Shell, close: AsyncDisposable): Promise<Pair> {
	await using opened = new AsyncDisposableStack();
	opened.use(close);
	const laps = opened.use(await openLaps(await openScriptBench(shell), callForEver, 1));
	const echo = opened.use(await openEcho());
	const kept = opened.move();
	return {
		operation: () => laps.lap(),
		floor: () => echo.roundTrip(),
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

/** Commands of one lap. */
const commands = 10;
const commandsForEver = 'from hermes_tools import terminal\nwhile True: terminal("true")';

/** Ten commands of a script in `shell`, against ten that are run directly there. */
export async function openTerminalPair(shell: Shell, close: AsyncDisposable): Promise<Pair> {
	await using opened = new AsyncDisposableStack();
	opened.use(close);
	const laps = opened.use(await openLaps(await openScriptBench(shell), commandsForEver, commands));
	const kept = opened.move();
	return {
		operation: () => laps.lap(),
		async floor() {
			for (let count = 0; count < commands; count++) await execute(shell, "true", { signal, timeoutSeconds: 180 });
		},
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

const echoProgram = `
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
while True:
    data = connection.recv(100)
    if not data: break
    connection.sendall(data)
`;

/** A Python that sends back what it is sent. */
async function openEcho(): Promise<{ roundTrip(): Promise<void> } & AsyncDisposable> {
	const path = `/tmp/hermes-bench-${crypto.randomUUID().slice(0, 8)}.sock`;
	const connected = Promise.withResolvers<{ write(text: string): unknown }>();
	let came = Promise.withResolvers<void>();
	const server = Bun.listen({
		unix: path,
		socket: { open: (socket) => connected.resolve(socket), data: () => came.resolve() },
	});
	const child = Bun.spawn(["python3", "-c", echoProgram, path], { stdio: ["ignore", "inherit", "inherit"] });
	const socket = await connected.promise;
	return {
		async roundTrip() {
			came = Promise.withResolvers<void>();
			socket.write("x".repeat(60));
			await came.promise;
		},
		async [Symbol.asyncDispose]() {
			server.stop(true);
			child.kill();
			await child.exited;
		},
	};
}
