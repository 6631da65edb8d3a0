/** Runs one command in a shell session, from its text to its outcome. The same for every backend. */

import { posix } from "node:path";
import { settledWithin } from "../../base/settled-within.ts";
import type { ExecuteOptions, Outcome } from "../outcome.ts";
import { collectOutput } from "./collect-output.ts";
import { type Left, noFolderCode, type Route, type RouteCall, type RouteRun } from "./route.ts";
import type { Shell } from "./shell.ts";
import type { ScriptParts } from "./shell-language.ts";
import { openSudo } from "./sudo/open-sudo.ts";
import { type Ending, lostEnding, untilEnded } from "./until-ended.ts";

/** Linux takes 128 KB in one argument; the path of the state comes on top. */
const longScriptBytes = 115_000;

/** How long output may still come after a kill. */
const drainAfterKillMs = 2_000;

/** What a command did, before the session is asked where it is now. */
type Ended = Pick<Outcome, "ended" | "exitCode" | "output" | "truncated">;

/** `ranOn` where it was started: the sandbox may have been replaced by the time it ends. */
type Ran = Ended & Pick<Outcome, "notice"> & Partial<Pick<Outcome, "ranOn">>;

/** The sandbox ends a command by itself that we could not end in time: the way to it is cut. */
const deadlineGraceSeconds = 10;

const neverStarted: Ended = { output: "", exitCode: 130, ended: "interrupted" };

/**
 * Runs `command` in the session of `shell`. A command that fails, times out or is interrupted is an outcome.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function execute(shell: Shell, command: string, options: ExecuteOptions): Promise<Outcome> {
	if (command.includes("\0")) throw new Error("Cannot run the command: it contains a NUL character");
	const { notice, ...ended } = await runCommand(shell, { command, options });
	return { ranOn: shell.ranOn, ...ended, ...(notice !== undefined && { notice }), cwd: shell.cwd };
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

async function runCommand(shell: Shell, request: Request): Promise<Ran> {
	const { cwd, stdin, signal, timeoutSeconds } = request.options;
	if (signal.aborted) return withLastLine(neverStarted, request);
	const folder = cwd === undefined ? shell.cwd : absoluteFolder(shell, cwd);
	const started = shell.state.values;
	await using files = new AsyncDisposableStack();
	const prepared = await shell.startEnvironment.prepare(started);
	files.defer(prepared.release);
	const { command } = files.use(await openSudo(shell, request.command, signal));
	const run = await startUnlessAborted(shell.route, {
		argv: await shellArguments(shell, files, { command, definitions: prepared.definitions }),
		needs: prepared.definitions?.from === "file" ? prepared.definitions.path : undefined,
		env: prepared.env,
		stdin: stdin === undefined ? "none" : Buffer.from(stdin),
		signal,
		folder,
		find: cwd === undefined ? "nearest" : "exact",
		...(timeoutSeconds !== undefined && { deadlineSeconds: timeoutSeconds + deadlineGraceSeconds }),
	});
	if ("ended" in run) return withLastLine({ ...run, output: "" }, request);
	const { ranOn } = shell;
	const ended = await followToEnd(run, request);
	const left = await run.left();
	if (left.folder === undefined && ended.ended === "exited") return notThere(folder, request);
	const notice = cwd === undefined && moveUp(shell, folder, left);
	// Nothing is taken when the command left nothing.
	if (left.captured !== undefined) shell.state.merge({ ...started, cwd: left.folder ?? folder }, left.captured);
	return { ...ended, ranOn, ...(notice && { notice }) };
}

/** A session's folder may have been deleted since its last command: it goes on in the one above. */
function moveUp(shell: Shell, wanted: string, { folder, isAsked }: Left): string | undefined {
	if (folder === undefined || isAsked) return undefined;
	// Unless a parallel command has moved it meanwhile.
	if (shell.cwd === wanted) shell.state.moveTo(folder);
	return `The folder ${wanted} is gone; the session goes on in ${folder}`;
}

function notThere(folder: string, { options }: Request): Ended {
	const output = `Cannot run in "${folder}": there is no such folder\n`;
	options.onOutput?.(output);
	return { output, exitCode: noFolderCode, ended: "exited" };
}

async function startUnlessAborted(route: Route, call: RouteCall): Promise<RouteRun | Ending> {
	try {
		return await route.start(call);
	} catch (cause) {
		// An interrupt that comes while the sandbox starts the process is no failure of the sandbox.
		return call.signal.aborted ? neverStarted : lostEnding(cause);
	}
}

/** The shell with its script, which reads the command from a file when it is too long for an argument. */
async function shellArguments(
	{ interpreter: { path, language }, route }: Shell,
	files: AsyncDisposableStack,
	parts: Omit<ScriptParts, "statePath">,
): Promise<RouteCall["argv"]> {
	const inline = parts.definitions?.from === "argument" ? [path, parts.definitions.text] : [];
	const isLong = Buffer.byteLength(language.command({ ...parts, statePath: "" })) > longScriptBytes;
	const commandPath = isLong ? await route.files.place(Buffer.from(parts.command)) : undefined;
	if (commandPath !== undefined) files.defer(() => route.files.remove(commandPath));
	return (statePath) => [path, "-c", language.command({ ...parts, statePath, commandPath }), ...inline];
}

async function followToEnd(running: RouteRun, request: Request): Promise<Ended> {
	const output = collectOutput(running.output, request.options);
	// When the sandbox is lost, waiting for the end fails first and says so.
	output.ended.catch(() => undefined);
	const ending = await untilEnded(running, request.options);
	const isKilled = ending.ended !== "exited";
	await (isKilled ? settledWithin(output.ended, drainAfterKillMs) : output.ended);
	return withLastLine({ ...ending, ...output.collected() }, request);
}

/** The line that tells the reader of a killed command's output why it stops there. */
function withLastLine({ reason, ...ended }: Ended & Ending, { options: { timeoutSeconds } }: Request): Ended {
	if (ended.ended === "exited") return ended;
	const isTimeout = ended.ended === "timed_out";
	const why = reason === undefined ? "" : `: ${reason}`;
	const line = isTimeout ? `[Command timed out after ${timeoutSeconds}s]` : `[Command interrupted${why}]`;
	return { ...ended, output: ended.output === "" ? line : `${ended.output}\n${line}` };
}
