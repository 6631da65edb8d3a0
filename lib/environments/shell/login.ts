/** How a session gets its first state: a login shell that reads the user's start-up files. */

import { BackendUnavailable } from "../backend.ts";
import type { Route } from "./route.ts";
import { runToEnd, toEnd } from "./run-to-end.ts";
import { type CapturedState, carriedVariables, type SessionValues } from "./session-state.ts";
import type { OpenShellOptions } from "./shell.ts";
import type { ShellLanguage } from "./shell-language.ts";

const defaultTimeoutSeconds = 30;

/**
 * A login shell reads one of .bash_profile, .bash_login and .profile; version managers put their PATH into any of them, and
 * Debian's .bashrc returns early without a terminal.
 */
const usualFiles = [
	`if [ -r "$HOME/.bash_profile" ]||[ -r "$HOME/.bash_login" ];then ${readFile('"$HOME/.profile"')};fi`,
	readFile('"$HOME/.bashrc"'),
];

/** Where bash is when PATH does not say. */
export const bashCandidates = ["bash", "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

/** Exit code of a program that was not found. */
const notFound = 127;

/** The shell of a session. */
export interface Interpreter {
	/** Absolute, because a command may change PATH. */
	readonly path: string;
	readonly language: ShellLanguage;
}

/** Logs in; falls back to a shell without start-up files. @throws {BackendUnavailable} When that does not work either. */
export async function logIn(options: OpenShellOptions, route: Route, shell: Interpreter): Promise<SessionValues> {
	const seconds = options.loginTimeoutSeconds ?? defaultTimeoutSeconds;
	const limit = AbortSignal.timeout(seconds * 1000);
	const readFiles = options.initFiles?.map((file) => readFile(initFileWord(file))) ?? usualFiles;
	const parts = (statePath: string) => ({ cwd: options.cwd, statePath, readFiles });
	const { language, path } = shell;
	const values = await capture(route, options, { argv: (file) => language.login(path, parts(file)), limit });
	if (values !== undefined) return withCallersPath(values, options.environment.PATH);
	const why = limit.aborted ? `took longer than ${seconds} s` : "ended the shell";
	options.onWarning?.(`The shell's start-up files ${why}; commands run without what they set`);
	const plain = await capture(route, options, {
		argv: (file) => language.loginWithoutFiles(path, parts(file)),
		limit: AbortSignal.timeout(defaultTimeoutSeconds * 1000),
	});
	if (plain !== undefined) return plain;
	throw new BackendUnavailable(
		`Cannot open a shell on ${options.sandbox.ranOn}: ${path} ends without leaving its state`,
	);
}

interface Attempt {
	readonly argv: (statePath: string) => readonly string[];
	readonly limit: AbortSignal;
}

async function capture(route: Route, options: OpenShellOptions, { argv, limit }: Attempt) {
	const signal = AbortSignal.any([options.signal, limit]);
	const call = { argv, env: options.environment, stdin: "none", folder: "/", find: "nearest", signal } as const;
	let state: CapturedState | undefined;
	try {
		const run = await route.start(call);
		await toEnd(run, signal);
		state = (await run.left()).captured;
	} catch (cause) {
		// Too slow is an outcome; the caller's own interrupt is not.
		if (options.signal.aborted || !limit.aborted) throw cause;
	}
	if (limit.aborted || state === undefined || state.cwd === "") return undefined;
	const variables = carriedVariables(state.exportList);
	return { cwd: state.cwd, variables, definitions: state.definitions, exportList: state.exportList };
}

/** Asks each candidate where it is. @throws {BackendUnavailable} When there is no bash. */
export async function findBash({ sandbox, environment: env, signal }: OpenShellOptions): Promise<string> {
	for (const candidate of bashCandidates) {
		const argv = [candidate, "--noprofile", "--norc", "-c", 'printf %s "$BASH"'];
		const { exitCode, output } = await runToEnd(sandbox, argv, { env, signal });
		const path = output.toString("utf8");
		if (exitCode === 0 && path.startsWith("/")) return path;
		if (exitCode !== notFound && exitCode !== 126) break;
	}
	throw new BackendUnavailable(
		`Cannot open a shell on ${sandbox.ranOn}: there is no bash; install it there (apt-get install bash, apk add bash)`,
	);
}

/** /etc/profile sets PATH anew: what the caller's had before (an activated virtualenv) or after that is put around it. */
function withCallersPath(values: SessionValues, path: string | undefined): SessionValues {
	const ours = Buffer.from(path ?? "")
		.toString("latin1")
		.split(":");
	const theirs = values.variables.get("PATH")?.split(":");
	if (path === undefined || theirs === undefined) return values;
	const firstShared = ours.findIndex((folder) => theirs.includes(folder));
	const before = ours.slice(0, Math.max(firstShared, 0));
	const after = ours.slice(before.length).filter((folder) => !theirs.includes(folder));
	const whole = [...before, ...theirs, ...after].join(":");
	const { exportList, ...rest } = values;
	return { ...rest, variables: new Map([...values.variables, ["PATH", whole]]) };
}

function readFile(word: string): string {
	return `if [ -r ${word} ];then \\builtin . ${word};fi`;
}

/** A file name as a word in which only `~/`, `$NAME` and `\${NAME}` are read. */
function initFileWord(file: string): string {
	const text = file.replace(/^~(?=\/|$)/, () => "$HOME");
	return `"${text.replace(/["\\`]|\$(?![A-Za-z_{])/g, String.raw`\$&`)}"`;
}
