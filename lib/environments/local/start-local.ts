/** Starts one process on this machine, in a session of its own. */

import { BackendUnavailable, type Running, type StartOptions } from "../backend.ts";
import { callMark, runMark } from "../call-marks.ts";
import type { LocalHost } from "./local-host.ts";
import { endTree, signalTree } from "./process-tree.ts";
import { readUntilEnd } from "./read-until-end.ts";
import { openInput, openOutput } from "./standard-streams.ts";
import { startWithoutPipes } from "./start-without-pipes.ts";

/** What a shell answers for a program that is not there, and for one that cannot run. */
const notFoundCode = 127;
const notExecutableCode = 126;
const notExecutable: ReadonlySet<string> = new Set(["EACCES", "ENOEXEC", "E2BIG", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

/**
 * Starts `argv`. A program that cannot be started is a process that says so and exits 126 or 127.
 * @throws {BackendUnavailable} When the system can start nothing at all (no process or descriptor is left).
 */
export function startLocal(host: LocalHost, argv: readonly string[], options: StartOptions): Running {
	options.signal.throwIfAborted();
	if (options.pty !== undefined) throw new Error("Cannot start a process on a terminal: the local backend has none");
	const call = host.nextCall();
	// Before the start, so that no moment is left in which a kill of this process would leave a process behind.
	host.watchdog.begin(call);
	const env = { ...options.env, [runMark]: host.run, [callMark]: call };
	try {
		const started = start(host, argv, { ...options, env });
		host.watchdog.register(call, started.pid);
		return running(host, call, started);
	} catch (cause) {
		host.watchdog.end(call);
		return notStarted(argv[0] ?? "", cause);
	}
}

/** A process that runs, with our ends of its streams. */
export interface Started {
	readonly pid: number;
	readonly exited: Promise<number>;
	readonly stdin: WritableStream<Uint8Array> | undefined;
	readonly output: ReadableStream<Uint8Array>;
	/** Standard error, when it was asked for apart. */
	readonly control?: ReadableStream<Uint8Array>;
}

function start(host: LocalHost, argv: readonly string[], options: StartOptions): Started {
	if (host.pipes === undefined) return startWithoutPipes(argv, options);
	const output = openOutput(host.pipes);
	const errors = options.control ? openOutput(host.pipes) : undefined;
	const input = openInput(host.pipes, options.stdin);
	try {
		const { cwd, env } = options;
		const stdio = [input.stdio, output.stdio, (errors ?? output).stdio] as const;
		const child = Bun.spawn([...argv], { stdio: [...stdio], cwd, env, detached: true });
		const { pid, exited } = child;
		const stdin = input.started();
		const control = errors && { control: readUntilEnd(errors.started(), exited) };
		return { pid, exited, stdin, output: readUntilEnd(output.started(), exited), ...control };
	} catch (cause) {
		input.abandon();
		output.abandon();
		errors?.abandon();
		throw cause;
	}
}

function running(host: LocalHost, call: string, { pid, exited, stdin, output, control }: Started): Running {
	const identity = { group: pid, run: host.run, call };
	let killing: Promise<void> | undefined;
	const forget = async () => {
		await exited;
		await killing;
		host.watchdog.end(call);
	};
	void forget();
	return {
		...(stdin && { stdin }),
		...(control && { control }),
		output,
		exited,
		async kill(signal) {
			if (signal !== undefined) return signalTree(identity, signal);
			killing ??= endTree(identity);
			await killing;
		},
	};
}

function notStarted(program: string, cause: unknown): Running {
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
	const isMissing = code === "ENOENT";
	if (!isMissing && !notExecutable.has(code)) {
		throw new BackendUnavailable(`Cannot start a process on this machine: ${code || String(cause)}`, { cause });
	}
	const why = isMissing ? "not found, or its folder is gone" : code;
	return {
		output: new Blob([`Cannot start "${program}": ${why}\n`]).stream(),
		exited: Promise.resolve(isMissing ? notFoundCode : notExecutableCode),
		kill: () => Promise.resolve(),
	};
}
