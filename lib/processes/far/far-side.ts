/** What a background process needs of its sandbox: short programs that start it, act on it, and follow what it writes. */

import { BackendUnavailable, type Running } from "../../environments/backend.ts";
import { runToEnd } from "../../environments/shell/run-to-end.ts";
import type { Shell } from "../../environments/shell/shell.ts";
import { quote } from "../../environments/shell/shell-language.ts";
import type { ProcessRecord, TerminalSize } from "../process-record.ts";
import { closeScript, followScript, killScript, removeScript, resizeScript, writeScript } from "./act-scripts.ts";
import { startScript } from "./start-script.ts";
import { supervisorScript } from "./supervisor.ts";
import { terminalProgram } from "./terminal-program.ts";

/** A process to start. */
export interface FarStart {
	readonly id: string;
	readonly command: string;
	/** Absolute. */
	readonly cwd: string;
	readonly terminal?: TerminalSize | undefined;
	/** The shell leaves its state when it ends, so that the session can go on where the command left it. */
	readonly keepsState?: boolean | undefined;
	/** It dies with this program, also when that is killed; else it outlives both. */
	readonly endsWithUs?: boolean | undefined;
}

/** What came of it. */
export type FarStarted =
	| { readonly ok: true; readonly folder: string; readonly pid: number }
	| { readonly ok: false; readonly why: string };

/** How long a start, and an action, may take: one that kills waits for what does not want to end, and many may start at once. */
const startLimitMs = 60_000;
const actLimitMs = 60_000;
/** How long a process may take to read what it is given. */
const writeLimitMs = 5_000;

const folders = ["/tmp", "/var/tmp"];

/** Starts it with the variables and definitions of the session. @throws {BackendUnavailable} */
export async function startFar(shell: Shell, start: FarStart, signal: AbortSignal): Promise<FarStarted> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(startLimitMs)]);
	const prepared = await shell.startEnvironment.prepare(shell.state.values);
	try {
		for (const base of folders) {
			const folder = `${base}/hermes-job-${start.id.slice("proc_".length)}`;
			const answer = await runStart(shell, { start, folder, prepared, signal: limit });
			const [, pid] = /^started (\d+)$/m.exec(answer) ?? [];
			if (pid !== undefined) return { ok: true, folder, pid: Number(pid) };
			if (!answer.includes("no place")) return { ok: false, why: explain(answer, start) };
		}
		return { ok: false, why: `no temporary folder is writable on ${shell.ranOn}` };
	} catch (cause) {
		signal.throwIfAborted();
		if (!limit.aborted) throw cause;
		return { ok: false, why: `${shell.ranOn} took longer than ${startLimitMs / 1000} s to start it` };
	} finally {
		await prepared.release();
	}
}

function explain(answer: string, { cwd }: FarStart): string {
	if (answer.includes("no folder")) return `there is no folder "${cwd}"`;
	if (answer.includes("no terminal")) return "a terminal needs python3 or script there, and there is neither";
	return answer.trim() || "its supervisor did not start";
}

interface StartRun {
	readonly start: FarStart;
	readonly folder: string;
	readonly prepared: Awaited<ReturnType<Shell["startEnvironment"]["prepare"]>>;
	readonly signal: AbortSignal;
}

async function runStart(shell: Shell, { start, folder, prepared, signal }: StartRun): Promise<string> {
	const { definitions } = prepared;
	const copied = definitions?.from === "file" ? definitions.path : "";
	const { path, language } = shell.interpreter;
	const script = language.command({
		command: "",
		commandPath: `${folder}/command`,
		statePath: start.keepsState ? `${folder}/state` : "/dev/null",
		definitions: definitions?.from === "file" ? { from: "file", path: `${folder}/definitions` } : definitions,
	});
	const argv = [path, "-c", script, ...(definitions?.from === "argument" ? [path, definitions.text] : [])];
	const { columns, rows } = start.terminal ?? { columns: 0, rows: 0 };
	const kind = start.terminal === undefined ? "pipe" : "terminal";
	const about = [folder, start.id, start.cwd, kind, String(columns), String(rows), argv.map(quote).join(" ")];
	const stays = start.endsWithUs === true;
	const parts = [supervisorScript, start.terminal === undefined ? "" : terminalProgram, copied, stays ? "1" : ""];
	const words = ["/bin/sh", "-c", startScript, "sh", ...about, ...parts, ...argv];
	const options = { env: environmentOf(prepared.env, start), stdin: Buffer.from(start.command), signal };
	if (!stays) return (await runToEnd(shell.sandbox, words, options)).output.toString("utf8");
	// What a command has started ends with us as long as the command runs.
	return await firstLine(await shell.sandbox.start(words, { ...options, cwd: "/" }), signal);
}

/** What it says first; it runs on, and what it says later is dropped. */
async function firstLine({ output, exited, kill }: Running, signal: AbortSignal): Promise<string> {
	const end = () => void kill().catch(() => undefined);
	signal.addEventListener("abort", end, { once: true });
	if (signal.aborted) end();
	const reader = output.getReader();
	const decoder = new TextDecoder();
	const rest = async () => {
		while (!(await reader.read()).done);
	};
	try {
		let said = "";
		while (!said.includes("\n")) {
			const { done, value } = await reader.read();
			if (done) break;
			said += decoder.decode(value, { stream: true });
		}
		signal.throwIfAborted();
		return said;
	} finally {
		signal.removeEventListener("abort", end);
		// The way to it may break later; whoever follows the process finds out.
		void Promise.allSettled([rest(), exited]);
	}
}

/** Output that is held back until there is a lot of it is of no use to whoever waits for a line. */
function environmentOf(env: Readonly<Record<string, string>>, { terminal }: FarStart): Record<string, string> {
	const buffering: Record<string, string> = { PYTHONUNBUFFERED: "1", ...env };
	if (terminal === undefined) return buffering;
	// What is typed and shown here is UTF-8, whether anybody told the sandbox or not.
	const hasLocale = ["LC_ALL", "LC_CTYPE", "LANG"].some((name) => (env[name] ?? "") !== "");
	// The terminal itself knows its size; variables would still say the old one after a change.
	const { COLUMNS: _columns, LINES: _lines, ...rest } = buffering;
	return { ...rest, ...(!hasLocale && { LC_CTYPE: "C.UTF-8" }), TERM: "xterm-256color" };
}

/** How a process stood when a follower came to its end. */
export type Standing =
	| { readonly is: "running" }
	| { readonly is: "exited"; readonly exitCode: number }
	/** Output before this byte is not kept any more. */
	| { readonly is: "skipped"; readonly offset: number }
	| { readonly is: "lost"; readonly why: string };

/**
 * Hands over what the process writes from byte `offset` on, as it comes, and says how it stands when there is a reason to.
 * Count the bytes and ask again while it runs. @throws {BackendUnavailable} @throws The reason of `signal`.
 */
export async function followFar(
	shell: Shell,
	{ folder, offset, onBytes }: { folder: string; offset: number; onBytes(bytes: Uint8Array): void | Promise<void> },
	signal: AbortSignal,
): Promise<Standing> {
	const argv = ["/bin/sh", "-c", followScript, "sh", folder, String(offset)];
	const running = await shell.sandbox.start(argv, { env: {}, cwd: "/", stdin: "none", control: true, signal });
	const end = () => void running.kill().catch(() => undefined);
	signal.addEventListener("abort", end, { once: true });
	if (signal.aborted) end();
	try {
		const said = new Response(running.control).text();
		for await (const bytes of running.output) {
			if (signal.aborted) break;
			await onBytes(bytes);
		}
		await running.exited;
		signal.throwIfAborted();
		return standingOf((await said).trim().split("\n").at(-1) ?? "", shell.ranOn);
	} finally {
		signal.removeEventListener("abort", end);
	}
}

function standingOf(line: string, ranOn: string): Standing {
	const [word, number] = line.split(" ");
	if (word === "exit") return { is: "exited", exitCode: Number(number ?? -1) };
	if (word === "at") return { is: "skipped", offset: Number(number) };
	if (word === "lost") return { is: "lost", why: `its supervisor on ${ranOn} is gone` };
	if (word === "gone") return { is: "lost", why: `its files on ${ranOn} are gone` };
	return { is: "running" };
}

/** Runs a script on the folder of a process. */
async function act(shell: Shell, argv: readonly [script: string, ...args: string[]], stdin?: Uint8Array) {
	const [script, ...args] = argv;
	const signal = AbortSignal.timeout(stdin === undefined ? actLimitMs : writeLimitMs);
	const options = { signal, ...(stdin && { stdin }) };
	return await runToEnd(shell.sandbox, ["/bin/sh", "-c", script, "sh", ...args], options);
}

/** What came of handing something to a process. */
export type Taken = "taken" | "ended" | "closed" | "not_read";

/** Gives `bytes` to the process. @throws {BackendUnavailable} */
export async function writeFar(shell: Shell, { folder }: ProcessRecord, bytes: Uint8Array): Promise<Taken> {
	try {
		const { exitCode } = await act(shell, [writeScript, folder], bytes);
		if (exitCode === 4) return "closed";
		return exitCode === 0 ? "taken" : "ended";
	} catch (cause) {
		if (cause instanceof BackendUnavailable) throw cause;
		return "not_read";
	}
}

/** Ends the input of the process; false when it has ended itself. @throws {BackendUnavailable} */
export async function closeFar(shell: Shell, { folder }: ProcessRecord): Promise<boolean> {
	return (await act(shell, [closeScript, folder])).exitCode === 0;
}

/** Gives the terminal of the process another size; false when it has none. @throws {BackendUnavailable} */
export async function resizeFar(shell: Shell, { folder }: ProcessRecord, size: TerminalSize): Promise<boolean> {
	return (await act(shell, [resizeScript, folder, String(size.columns), String(size.rows)])).exitCode === 0;
}

/**
 * Ends the process and everything that it started; what is left of them that could not be ended, as numbers. Nobody can
 * stop it half way. @throws {BackendUnavailable}
 */
export async function killFar(
	shell: Shell,
	{ folder, id }: ProcessRecord,
	graceSeconds: number,
): Promise<readonly number[]> {
	const { output } = await act(shell, [killScript, folder, id, String(graceSeconds)]);
	const [word, ...pids] = output.toString("utf8").trim().split(/\s+/);
	if (word === "gone" || word === "alive") return pids.map(Number);
	throw new BackendUnavailable(
		`Cannot end a process on ${shell.ranOn}: ${output.toString("utf8").trim() || "no answer"}`,
	);
}

/** Removes what processes that have ended left; gives the shell state of the first. @throws {BackendUnavailable} */
export async function removeFar(shell: Shell, gone: readonly string[]): Promise<Buffer> {
	return (await act(shell, [removeScript, ...gone])).output;
}
