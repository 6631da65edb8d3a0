/** Starts one process in a container by the engine's exec API. */

import type Docker from "dockerode";
import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable, type Running, type StartOptions } from "../../backend.ts";
import { callMark, runMark } from "../../call-marks.ts";
import { engineError } from "../engine/engine-error.ts";
import { type Attached, attach } from "./attach.ts";
import { ContainerGone, goneStatuses } from "./container-gone.ts";
import { killCall } from "./kill-call.ts";
import { wrapped } from "./wrapper.ts";

/** A running container, as far as starting processes in it goes. */
export interface ExecPlace {
	readonly docker: Docker;
	readonly container: Docker.Container;
	/** Names this run in the environment of what it starts. */
	readonly run: string;
	/** What a process there starts with when nothing else is said. */
	readonly environment: Readonly<Record<string, string>>;
	/** Variables that the engine gives to every process there. */
	readonly inheritedNames: readonly string[];
	/** As the user knows it, for messages. */
	readonly name: string;
	/** Podman loses the last output of a process together with input that was not read. */
	readonly losesUnreadInput: boolean;
}

/** A process in a container. */
export interface ExecRunning extends Running {
	/** What the engine says; it knows before `exited` does when somebody else holds the process's output. */
	isRunning(): Promise<boolean>;
}

/** An engine that needs longer for one answer is stuck. */
const answerMs = 60_000;

/** No event tells that a process has ended which had closed its streams before. */
const firstPollMs = 2;
const longestPollMs = 250;

/** The exit code of a process that SIGKILL ended, as all are when their container stops. */
const killedCode = 137;

/** The engine tells the end of a container later than that of the processes that ended with it: it waits 2 s for its streams. */
const stopMs = 3_000;

/**
 * Starts `argv`.
 * @throws {ContainerGone} When the container is not there or does not run; nothing was started.
 * @throws {BackendUnavailable} When the engine does not answer, or refuses.
 */
export async function startExec(
	place: ExecPlace,
	argv: readonly string[],
	options: StartOptions,
): Promise<ExecRunning> {
	options.signal.throwIfAborted();
	const call = crypto.randomUUID();
	const exec = await create(place, call, { argv, options });
	const connection = await open(place, exec, options);
	const attached = attach(connection, { ...options, control: options.control === true });
	if (options.pty !== undefined) await exec.resize({ h: options.pty.rows, w: options.pty.columns });
	let killing: Promise<void> | undefined;
	const exited = exitCode({ place, exec, attached, isKilled: () => killing !== undefined });
	// Whoever waits for it is told; nobody has to.
	exited.catch(() => undefined);
	return {
		...(attached.stdin && { stdin: attached.stdin }),
		...(attached.control && { control: attached.control }),
		output: attached.output,
		exited,
		isRunning: async () => (await inspected(place, exec)).Running,
		async kill(signal) {
			const group = await attached.group;
			if (signal !== undefined) return killCall(place, { call, group, signal });
			killing ??= killCall(place, { call, group });
			await killing;
		},
	};
}

interface Request {
	readonly argv: readonly string[];
	readonly options: StartOptions;
}

async function create(place: ExecPlace, call: string, { argv, options }: Request): Promise<Docker.Exec> {
	const { cwd, stdin, pty, signal, control } = options;
	const env = options.env.PATH === undefined ? { ...place.environment, ...options.env } : options.env;
	const unset = place.inheritedNames.filter((name) => !Object.hasOwn(env, name));
	// Input that comes bit by bit may never end.
	const drainsInput = place.losesUnreadInput && stdin instanceof Uint8Array && pty === undefined;
	const marked = { ...env, [runMark]: place.run, [callMark]: call };
	try {
		return await place.container.exec({
			Cmd: wrapped(argv, { unset, apart: control === true, drainsInput }),
			Env: Object.entries(marked).map(([name, value]) => `${name}=${value}`),
			WorkingDir: cwd,
			AttachStdin: stdin !== "none",
			AttachStdout: true,
			AttachStderr: true,
			Tty: pty !== undefined,
			abortSignal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
		});
	} catch (cause) {
		signal.throwIfAborted();
		throw refusal(place, cause);
	}
}

async function open(place: ExecPlace, exec: Docker.Exec, options: StartOptions): Promise<NodeJS.ReadWriteStream> {
	// Not the caller's signal: from here on the process may run, and only `kill` ends it.
	const started = exec.start({ hijack: true, stdin: options.stdin !== "none", Tty: options.pty !== undefined });
	try {
		return await untilAborted(started, AbortSignal.timeout(answerMs));
	} catch (cause) {
		throw refusal(place, cause);
	}
}

function refusal({ name }: ExecPlace, cause: unknown): Error {
	const { status, reason } = engineError(cause);
	if (status !== undefined && goneStatuses.includes(status)) return new ContainerGone(reason, { cause });
	return new BackendUnavailable(`Cannot start a process in ${name}: ${reason}`, { cause });
}

interface Started {
	readonly place: ExecPlace;
	readonly exec: Docker.Exec;
	readonly attached: Attached;
	/** Whether it was we who ended it. */
	isKilled(): boolean;
}

async function exitCode({ place, exec, attached, isKilled }: Started): Promise<number> {
	await attached.ended;
	for (let pauseMs = firstPollMs; ; pauseMs = Math.min(pauseMs * 2, longestPollMs)) {
		const { Running: isRunning, ExitCode: code } = await inspected(place, exec);
		if (!isRunning && code !== null) {
			if (code === killedCode && !isKilled()) await throwIfStopping(place);
			return code;
		}
		if (pauseMs === longestPollMs) await throwUnlessRunning(place);
		await Bun.sleep(pauseMs);
	}
}

async function inspected(place: ExecPlace, exec: Docker.Exec): Promise<Docker.ExecInspectInfo> {
	try {
		return await exec.inspect({ abortSignal: AbortSignal.timeout(answerMs) });
	} catch (cause) {
		throw lost(place, cause);
	}
}

async function throwIfStopping(place: ExecPlace): Promise<void> {
	const limit = performance.now() + stopMs;
	do {
		await throwUnlessRunning(place);
		await Bun.sleep(longestPollMs / 5);
	} while (performance.now() < limit);
}

async function throwUnlessRunning(place: ExecPlace): Promise<void> {
	let running: boolean;
	try {
		const { State } = await place.container.inspect({ abortSignal: AbortSignal.timeout(answerMs) });
		running = State.Running;
	} catch (cause) {
		throw lost(place, cause);
	}
	if (!running) throw new BackendUnavailable(`Cannot finish the command: ${place.name} stopped while it ran`);
}

function lost({ name }: ExecPlace, cause: unknown): BackendUnavailable {
	const { status, reason } = engineError(cause);
	const what = status === 404 ? "was removed while it ran" : `no longer answers (${reason})`;
	return new BackendUnavailable(`Cannot finish the command: ${name} ${what}`, { cause });
}
