/** The route of backends whose files the host cannot reach: one process a call, whose standard error carries the state. */

import { BackendUnavailable, type Sandbox } from "../backend.ts";
import { endAtMark } from "./end-at-mark.ts";
import { openHelperRoute } from "./helper-route.ts";
import { type Report, readReport } from "./read-report.ts";
import { noFolderCode, type Route, type RouteCall, type RouteRun, type SessionFiles } from "./route.ts";
import { runToEnd } from "./run-to-end.ts";
import { callScript, greetScript } from "./sandbox-script.ts";

/** One step moves a few kilobytes; a sandbox that needs longer has lost its connection. */
const stepLimitMs = 30_000;

/** Where programs usually are, for a session that has broken its PATH. */
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Linux takes 128 KB in one argument, and the script around the shell has its own. */
const inlineBytes = 100_000;

/** What a sandbox offers to a session. */
export interface GreetedSandbox {
	readonly route: Route;
	/** The first of the wanted shells that is there; undefined when none is. */
	readonly shell: string | undefined;
}

/**
 * Looks around in the sandbox and makes the session's folder.
 * @throws {BackendUnavailable} When it is broken, or there is no place to write.
 */
export async function openSandboxRoute(
	sandbox: Sandbox,
	options: {
		readonly environment: Readonly<Record<string, string>>;
		readonly shells: readonly string[];
		readonly signal: AbortSignal;
	},
): Promise<GreetedSandbox> {
	const { environment, shells, signal } = options;
	const argv = ["/bin/sh", "-c", greetScript, "sh", `hermes-session-${crypto.randomUUID()}`, ...shells];
	const { exitCode, output } = await runToEnd(sandbox, argv, { env: environment, signal });
	const [folder = "", shell = "", path, rest] = output.toString("utf8").split("\0");
	if (exitCode !== 0 || path === undefined || rest !== "") {
		const said = output.toString("utf8").trim().slice(0, 300);
		throw new BackendUnavailable(`Cannot open a shell on ${sandbox.ranOn}: ${said || `exit code ${exitCode}`}`);
	}
	if (!folder.startsWith("/")) {
		throw new BackendUnavailable(`Cannot open a shell on ${sandbox.ranOn}: no temporary folder is writable there`);
	}
	const own = routeIn(sandbox, folder, `${path}:${usualPath}`);
	const route = sandbox.helper === undefined ? own : openHelperRoute(sandbox, folder, own);
	return { route, shell: shell === "" ? undefined : shell };
}

function routeIn(sandbox: Sandbox, folder: string, path: string): Route {
	// Not the caller's signal: an interrupted command still removes its files.
	const step = (script: string, argument: string, stdin?: Uint8Array) =>
		runToEnd(sandbox, ["/bin/sh", "-c", `PATH=$2; ${script}`, "sh", argument, path], {
			signal: AbortSignal.timeout(stepLimitMs),
			...(stdin && { stdin }),
		});
	let count = 0;
	const reserve = () => `${folder}/${count++}`;
	// One file after the other would have to be removed by a process of its own; calls that have ended hand theirs on.
	const free: string[] = [];
	const lend: StateFiles = { take: () => free.pop() ?? reserve(), giveBack: (file) => void free.push(file) };
	const files: SessionFiles = {
		reserve,
		async place(content) {
			const file = reserve();
			const make = `umask 077; [ -d "\${1%/*}" ] || mkdir "\${1%/*}"; cat >"$1"`;
			const { exitCode } = await step(make, file, content);
			if (exitCode === 0) return file;
			throw new BackendUnavailable(`Cannot write "${file}" on ${sandbox.ranOn}: exit code ${exitCode}`);
		},
		remove: async (file) => void (await step('rm -f -- "$1"', file)),
	};
	return {
		files,
		inlineBytes,
		start: (call) => startCall(sandbox, { folder, path, stateFiles: lend }, call),
		async [Symbol.asyncDispose]() {
			const removed = step('rm -rf -- "$1"', folder);
			// A sandbox that is gone has taken the files with it.
			await removed.catch((cause) => throwUnlessUnavailable(cause));
		},
	};
}

function throwUnlessUnavailable(cause: unknown): void {
	if (!(cause instanceof BackendUnavailable)) throw cause;
}

interface SessionPaths {
	readonly folder: string;
	readonly path: string;
	readonly stateFiles: StateFiles;
}

/** Files that calls leave their state in. */
interface StateFiles {
	take(): string;
	/** Nobody writes to it any more. */
	giveBack(file: string): void;
}

async function startCall(sandbox: Sandbox, paths: SessionPaths, call: RouteCall): Promise<RouteRun> {
	const { folder, path, stateFiles } = paths;
	const statePath = stateFiles.take();
	const { env, stdin, signal } = call;
	const mark = `hermes-${crypto.randomUUID()}`;
	const around = [mark, folder, statePath, call.folder, call.find, call.needs ?? "", path];
	const argv = ["/bin/sh", "-c", callScript, "sh", ...around, ...call.argv(statePath)];
	const running = await sandbox.start(argv, { env, cwd: "/", stdin, signal, control: true });
	const { output, control } = running;
	if (control === undefined) throw new Error(`Cannot follow a command on ${sandbox.ranOn}: it has no control stream`);
	const report = readReport(control, mark);
	const hasEnded = report.finished.then((finished) => finished !== undefined);
	void hasEnded.then((isEnded) => {
		if (isEnded) stateFiles.giveBack(statePath);
	});
	// Whoever waits for it is told; a command that has ended needs no confirmation from the service.
	running.exited.catch(() => undefined);
	return {
		output: endAtMark(output, { mark: `${mark} end`, ended: hasEnded }),
		exited: exitOf(running.exited, report, sandbox.ranOn),
		kill: (signal) => running.kill(signal),
		left: () => leftBy(report),
	};
}

/** The code that the shell ended with, as soon as it is known from the shell itself or from the service. */
async function exitOf(exited: Promise<number>, report: Report, ranOn: string): Promise<number> {
	const finished = report.finished.then((end) => end?.exitCode ?? exited);
	const code = await Promise.race([finished, exited]);
	// A service may tell the end of a process before it has handed over all of its words.
	const landing = await report.landing;
	if (landing?.is === "missing") return noFolderCode;
	if (landing?.is === "lost") {
		throw new BackendUnavailable(`Cannot run the command: the session's files are gone from ${ranOn}`);
	}
	if (landing !== undefined) return code;
	const why = report.complaint() || `/bin/sh ended with exit code ${code}`;
	throw new BackendUnavailable(`Cannot start a shell on ${ranOn}: ${why}`);
}

async function leftBy(report: Report) {
	const landing = await report.landing;
	if (landing === undefined || !("folder" in landing))
		return { folder: undefined, isAsked: false, captured: undefined };
	const finished = await report.finished;
	return { folder: landing.folder, isAsked: landing.is === "at", captured: finished?.captured };
}
