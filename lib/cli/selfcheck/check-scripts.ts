/** Whether a script of `execute_code` can call a tool from the sandbox, and over what its calls come. */

import { z } from "zod";
import { attemptAsync } from "../../base/attempt.ts";
import type { Shell } from "../../environments/shell/shell.ts";
import { argumentsSchema } from "../../registry/json-schema.ts";
import { defineTool, type ScriptSession, toolResult } from "../../registry/tool.ts";
import { runScript, type ScriptResult } from "../../rpc/run-script.ts";
import { usualTransport } from "../../rpc/transports/open-transport.ts";
import type { TransportName } from "../../rpc/transports/transport.ts";
import type { Check } from "./result.ts";

/** Ways for calls, as a person knows them. */
const ways: Readonly<Record<TransportName, string>> = {
	unix: "a Unix socket",
	tcp: "a port of the loopback interface",
	relay: "the relay's socket in the sandbox",
	files: "files that are looked for",
};

const limitSeconds = 60;

/** It only has to answer. */
const answering = defineTool({
	name: "terminal",
	toolset: "terminal",
	description: "Answers.",
	args: z.object({ command: z.string() }),
	run: async ({ command }) => toolResult({ output: `${command} answered` }),
});

const codes = {
	python: 'from hermes_tools import terminal\nprint(terminal("call")["output"])',
	typescript: 'import { terminal } from "hermes_tools";\nconsole.log((await terminal({ command: "call" })).output);',
} as const;

/** Runs a script in a session of its own. */
export async function checkScripts(
	openShell: () => Promise<Shell>,
	signal: AbortSignal,
): Promise<{ readonly check: Check; readonly transport: TransportName | "" }> {
	await using shell = await openShell();
	const scripts: ScriptSession = {
		tools: async () => [answering],
		parameters: ({ args }) => argumentsSchema(args),
		call: async ({ arguments: args }) => toolResult({ output: `${args.command} answered` }),
		inSandbox: (stop, use) => use(shell, stop),
		remembered: new WeakMap(),
	};
	const run = (language: "python" | "typescript") =>
		runScript(scripts, {
			...{ code: codes[language], language, mode: "project", timeoutSeconds: limitSeconds, maxCalls: 1 },
			...{ withServers: false, passthrough: [], redact: (text: string) => text, signal },
		});
	const ran = await attemptAsync(async () => {
		const first = await run("python");
		return first.is === "no_interpreter" ? run("typescript") : first;
	});
	const way = ran.ok && ran.value.is === "ran" ? ran.value.transport : undefined;
	const name = `a script calls a tool over ${ways[way ?? usualTransport(shell)]}`;
	return { check: { name, ...(ran.ok ? verdictOf(ran.value) : failed(ran.reason)) }, transport: way ?? "" };
}

function verdictOf(result: ScriptResult): Pick<Check, "status" | "detail"> {
	if (result.is === "no_interpreter") {
		return { status: "unsupported", detail: "there is no Python 3.8, bun or node: execute_code runs no scripts here" };
	}
	if (result.is === "ran" && result.output === "call answered\n") return { status: "passed", detail: "" };
	return failed(result.is === "ran" ? result.errors || `it printed ${JSON.stringify(result.output)}` : result.reason);
}

function failed(detail: string): Pick<Check, "status" | "detail"> {
	return { status: "failed", detail };
}
