/** Programs started through a sandbox, and what tests ask about them. */

import { readdirSync, readFileSync } from "node:fs";
import type { Running, Sandbox, StartOptions } from "../../../lib/environments/backend.ts";

const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };

/** Starts a program with little said about it. */
export function start(
	sandbox: Sandbox,
	argv: readonly string[],
	options: Partial<StartOptions> = {},
): Promise<Running> {
	return sandbox.start(argv, { env, cwd: "/", stdin: "none", signal: new AbortController().signal, ...options });
}

/** What it says and how it ends. */
export async function said(
	sandbox: Sandbox,
	argv: readonly string[],
	options: Partial<StartOptions> = {},
): Promise<{ readonly output: string; readonly exitCode: number }> {
	const running = await start(sandbox, argv, options);
	const [output, exitCode] = await Promise.all([new Response(running.output).text(), running.exited]);
	return { output, exitCode };
}

/** What a script for bash says. */
export async function sh(sandbox: Sandbox, script: string, options: Partial<StartOptions> = {}): Promise<string> {
	return (await said(sandbox, ["bash", "-c", script], options)).output;
}

/** The first line that a process says; the rest is read and dropped. */
export function firstLine({ output }: Running): Promise<string> {
	return firstLineOf(output);
}

/** The first line of a stream; the rest is read and dropped. */
export async function firstLineOf(output: ReadableStream<Uint8Array>): Promise<string> {
	const line = Promise.withResolvers<string>();
	let text = "";
	const read = async () => {
		for await (const chunk of output) {
			text += Buffer.from(chunk).toString();
			if (text.includes("\n")) line.resolve(text.slice(0, text.indexOf("\n")));
		}
	};
	read().then(
		() => line.resolve(text),
		() => line.resolve(text),
	);
	return line.promise;
}

/** Asks until it holds, or a generous time is over. */
export async function holdsWithin(seconds: number, ask: () => Promise<boolean> | boolean): Promise<boolean> {
	for (const giveUpAt = performance.now() + seconds * 1000; performance.now() < giveUpAt; await Bun.sleep(20)) {
		if (await ask()) return true;
	}
	return false;
}

/** How many living processes of this machine, its containers included, have `words` in their command line. */
export function countProcesses(words: string): number {
	return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isAlive(name) && commandLine(name).includes(words))
		.length;
}

function isAlive(pid: string): boolean {
	const stat = readProc(`/proc/${pid}/stat`);
	const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
	return state !== "" && !"ZX".includes(state);
}

function commandLine(pid: string): string {
	return readProc(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function readProc(path: string): string {
	try {
		return readFileSync(path, "latin1");
	} catch {
		// It ended while we looked.
		return "";
	}
}
