/** Runs one command in a shell session, from its text to its outcome. The same for every backend. */

import { posix } from "node:path";
import { settledWithin } from "../../base/settled-within.ts";
import type { Running, StartOptions } from "../backend.ts";
import type { ExecuteOptions, Outcome } from "../outcome.ts";
import { collectOutput } from "./collect-output.ts";
import { commandScript, type ScriptParts } from "./script.ts";
import { readCapture, type SessionValues } from "./session-state.ts";
import type { Shell } from "./shell.ts";
import { untilEnded } from "./until-ended.ts";

/** Linux takes 128 KB in one argument. */
const longScriptBytes = 120_000;

/** How long output may still come after a kill. */
const drainAfterKillMs = 2_000;

/** Where a command starts, or the folder that is not there. */
type StartFolder = { readonly folder: string; readonly notice?: string } | { readonly missing: string };

/** What a command did, before the session is asked where it is now. */
type Ended = Pick<Outcome, "ended" | "exitCode" | "output" | "truncated">;

const neverStarted: Ended = { output: "", exitCode: 130, ended: "interrupted" };

/**
 * Runs `command` in the session of `shell`. A command that fails, times out or is interrupted is an outcome.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function execute(shell: Shell, command: string, options: ExecuteOptions): Promise<Outcome> {
	if (command.includes("\0")) throw new Error("Cannot run the command: it contains a NUL character");
	const start = await findStartFolder(shell, options.cwd);
	const ended = await runFrom(start, shell, { command, options });
	const notice = "notice" in start ? { notice: start.notice } : {};
	return { ...ended, ...notice, cwd: shell.cwd, ranOn: shell.ranOn };
}

/** A session's folder may have been deleted since its last command; one that the caller named must exist. */
async function findStartFolder(shell: Shell, asked: string | undefined): Promise<StartFolder> {
	const wanted = asked === undefined ? shell.cwd : absoluteFolder(shell, asked);
	const { path: folder, isAsked } = await shell.folder.nearestFolder(wanted);
	if (isAsked) return { folder };
	if (asked !== undefined) return { missing: wanted };
	shell.state.moveTo(folder);
	return { folder, notice: `The folder ${wanted} is gone; the session goes on in ${folder}` };
}

function absoluteFolder(shell: Shell, folder: string): string {
	const home = shell.state.values.variables.get("HOME");
	const expanded = home === undefined ? folder : folder.replace(/^~(?=\/|$)/, () => home);
	return posix.resolve(shell.cwd, expanded);
}

interface Request {
	readonly command: string;
	readonly options: ExecuteOptions;
}

async function runFrom(start: StartFolder, shell: Shell, request: Request): Promise<Ended> {
	if ("missing" in start) {
		const output = `Cannot run in "${start.missing}": there is no such folder\n`;
		request.options.onOutput?.(output);
		return { output, exitCode: 126, ended: "exited" };
	}
	if (request.options.signal.aborted) return withLastLine(neverStarted, request);
	const started = { ...shell.state.values, cwd: start.folder };
	await using files = new AsyncDisposableStack();
	const call = await shell.startEnvironment.prepare(started);
	files.defer(call.release);
	const statePath = await shell.folder.reserve();
	const script = await fittingScript(shell, files, {
		command: request.command,
		statePath,
		definitionsPath: call.definitionsPath,
	});
	const { stdin, signal } = request.options;
	const running = await startUnlessAborted(shell, script, {
		env: call.env,
		cwd: start.folder,
		stdin: stdin === undefined ? "none" : Buffer.from(stdin),
		signal,
	});
	if (running === undefined) return withLastLine(neverStarted, request);
	const ended = await followToEnd(running, request);
	await takeState(shell, statePath, started);
	return ended;
}

async function startUnlessAborted(shell: Shell, script: string, options: StartOptions): Promise<Running | undefined> {
	try {
		return await shell.sandbox.start([shell.bash, "-c", script], options);
	} catch (cause) {
		// An interrupt that comes while the sandbox starts the process is no failure of the sandbox.
		if (options.signal.aborted) return undefined;
		throw cause;
	}
}

/** The script as an argument, or reading its command from a file when it is too long for one. */
async function fittingScript(shell: Shell, files: AsyncDisposableStack, parts: ScriptParts): Promise<string> {
	const script = commandScript(parts);
	if (Buffer.byteLength(script) < longScriptBytes) return script;
	const commandPath = await shell.folder.place(Buffer.from(parts.command));
	files.defer(() => shell.folder.remove(commandPath));
	return commandScript({ ...parts, commandPath });
}

async function followToEnd(running: Running, request: Request): Promise<Ended> {
	const output = collectOutput(running.output, request.options);
	// When the sandbox is lost, waiting for the end fails first and says so.
	output.ended.catch(() => undefined);
	const ending = await untilEnded(running, request.options);
	const isKilled = ending.ended !== "exited";
	await (isKilled ? settledWithin(output.ended, drainAfterKillMs) : output.ended);
	return withLastLine({ ...ending, ...output.collected() }, request);
}

/** The line that tells the reader of a killed command's output why it stops there. */
function withLastLine(ended: Ended, { options: { timeoutSeconds } }: Request): Ended {
	if (ended.ended === "exited") return ended;
	const isTimeout = ended.ended === "timed_out";
	const line = isTimeout ? `[Command timed out after ${timeoutSeconds}s]` : "[Command interrupted]";
	return { ...ended, output: ended.output === "" ? line : `${ended.output}\n${line}` };
}

/** Nothing is taken when the command left nothing: it was killed, replaced its shell (`exec`) or our trap. */
async function takeState(shell: Shell, path: string, started: SessionValues): Promise<void> {
	const bytes = await shell.folder.take(path);
	const captured = bytes === undefined ? undefined : readCapture(bytes);
	if (captured !== undefined) shell.state.merge(started, captured);
}
