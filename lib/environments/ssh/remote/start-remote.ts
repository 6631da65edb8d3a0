/** Starts one program on a host and makes of it what the shell above expects. */

import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable, type Running, type StartOptions } from "../../backend.ts";
import { type MarkedStream, markedStream } from "../../marked-stream.ts";
import type { RemoteLine } from "../transport.ts";
import { endTree, type RemoteTree, signalTree } from "./end-tree.ts";
import type { PreparedEnvironment } from "./environment-files.ts";
import { inStream, launchScript, loginLine } from "./launcher.ts";
import { newMark, type RemoteHost } from "./remote-host.ts";

/** Linux takes 128 KB in one argument, and sshd hands the whole line over as one. */
const longestLine = 100_000;

/** How long a login shell's own files may take before the program starts. */
const startLimitMs = 60_000;

/** SIGKILL. */
const killSignal = 9;

/** A program whose line was sent. */
interface Launched {
	readonly line: RemoteLine;
	readonly output: MarkedStream;
	readonly errors: MarkedStream;
	/** Its process group; `lost` when its environment file was gone, so that it did not start. */
	readonly started: Promise<number | "lost">;
	/** The exit code as it told it itself; settles only where it was asked to. */
	readonly told: Promise<number>;
	/** Settles when all of its own output is here; at once where it does not tell. */
	readonly outputTold: Promise<void>;
	/** Settles when what we had to send is sent. */
	readonly sent: Promise<void>;
}

/**
 * Starts `argv`. One that is not there is a process that says so and exits 127.
 * @throws {BackendUnavailable} When the host cannot be reached or starts nothing.
 */
export async function startRemote(host: RemoteHost, argv: readonly string[], options: StartOptions): Promise<Running> {
	options.signal.throwIfAborted();
	const call = host.nextCall();
	if (options.pty !== undefined) await bringEnvironment(host, options);
	for (let isFirst = true; ; isFirst = false) {
		const launched = await launch(host, argv, { ...options, call });
		const group = await untilStarted(host, launched, { signal: options.signal, call });
		if (options.stdin === "pipe") await launched.sent;
		if (group !== "lost") return running(host, launched, { options, tree: { group, call } });
		if (!isFirst)
			throw new BackendUnavailable(
				`Cannot start a command on ${host.transport.destination}: its folder ${host.folder} is gone`,
			);
	}
}

/** A terminal would echo and change what is sent through it. */
async function bringEnvironment(host: RemoteHost, { env, signal }: StartOptions): Promise<void> {
	const running = await startRemote(host, ["true"], { env, cwd: "/", stdin: "none", signal });
	await running.exited;
}

type LaunchOptions = StartOptions & { readonly call: string };

async function launch(host: RemoteHost, argv: readonly string[], options: LaunchOptions): Promise<Launched> {
	const { transport, environments } = host;
	const mark = newMark();
	const [program = ""] = argv;
	const usual = environments.prepare(options.env);
	const usualLine = lineFor(host, mark, { program, argv, options, prepared: usual });
	const isLong = Buffer.byteLength(usualLine) > (transport.longestLine ?? longestLine);
	if (isLong) usual.settle(usual.content === undefined);
	const prepared = isLong ? environments.prepareOnce(options.env, argv) : usual;
	const line = isLong ? lineFor(host, mark, { program, argv: [], options, prepared }) : usualLine;
	const { pty, signal } = options;
	const hasInput = prepared.content !== undefined || hasInputOf(options);
	try {
		const remote = await transport.run({ line, hasInput, ...(pty && { pty }), isUrgent: false, signal });
		return follow(remote, mark, { host, prepared, options });
	} catch (cause) {
		prepared.settle(false);
		throw cause;
	}
}

function hasInputOf({ stdin, pty }: StartOptions): boolean {
	return stdin !== "none" || pty !== undefined;
}

interface LineParts {
	readonly program: string;
	readonly argv: readonly string[];
	readonly options: LaunchOptions;
	readonly prepared: PreparedEnvironment;
}

function lineFor(
	{ transport, run, loginShell }: RemoteHost,
	mark: string,
	{ program, argv, options, prepared }: LineParts,
): string {
	const apart = options.control === true ? "apart" : "merged";
	const reportsEnd = transport.needsEndReport && options.pty === undefined;
	// An empty list stands for one that comes with the variables.
	const goesOn = !reportsEnd && argv[0] === "/bin/sh" && argv[1] === "-c" && argv[3] === "sh";
	const script = launchScript({
		mark,
		run,
		call: options.call,
		environment: prepared.file,
		cwd: options.cwd,
		program,
		script: goesOn ? argv[2] : undefined,
		streams: options.pty === undefined ? apart : "terminal",
		hasInput: hasInputOf(options),
		reportsEnd,
		...(transport.needsEndReport && options.pty && { terminalSize: options.pty }),
	});
	return loginLine(loginShell, script, goesOn ? argv.slice(4) : argv);
}

/** The variables first, then the program's own input. */
async function sendInput(
	{ stdin }: RemoteLine,
	{ content }: PreparedEnvironment,
	input: StartOptions["stdin"],
): Promise<void> {
	const hasNothing = content === undefined && !(input instanceof Uint8Array);
	if (stdin === undefined || hasNothing) return;
	const writer = stdin.getWriter();
	try {
		if (content !== undefined) await writer.write(content);
		if (input instanceof Uint8Array && input.length > 0) await writer.write(input);
		if (input !== "pipe") await writer.close();
	} catch {
		// A program may end without reading its input, and a lost connection is told by its end.
	} finally {
		writer.releaseLock();
	}
}

function follow(
	line: RemoteLine,
	mark: string,
	{ host, prepared, options }: { host: RemoteHost; prepared: PreparedEnvironment; options: LaunchOptions },
): Launched {
	const { destination } = host.transport;
	const started = Promise.withResolvers<number | "lost">();
	const told = Promise.withResolvers<number>();
	const onLine = (text: string) => {
		const [word, number] = text.split(" ");
		if (word === "ended") return told.resolve(Number(number));
		prepared.settle(word === "started");
		if (word === "started") started.resolve(Number(number));
		else if (word === "lost") started.resolve("lost");
		else started.reject(new BackendUnavailable(`Cannot start a command on ${destination}: no space in ${host.folder}`));
	};
	const isTerminal = options.pty !== undefined;
	const tellsEnd = host.transport.needsEndReport && !isTerminal;
	const outputTold = Promise.withResolvers<void>();
	if (!tellsEnd) outputTold.resolve();
	let outputLines = 0;
	const onOutputLine = isTerminal ? onLine : () => void (++outputLines === 2 && outputTold.resolve());
	const found = inStream(mark);
	const lines = tellsEnd ? "all" : "first";
	const output = markedStream({ source: line.output, mark: found, lines, onLine: onOutputLine });
	const errors = markedStream({ source: line.errors, mark: found, lines: "all", onLine });
	const failToStart = async () => {
		await line.exited;
		const noise = await Promise.all([errors.sourceEnded, output.sourceEnded]);
		const said = noise.filter((part) => part !== "").join("; ");
		throw new BackendUnavailable(
			`Cannot start a command on ${destination}: its login shell ended: ${said || "it is silent"}`,
		);
	};
	failToStart().catch(started.reject);
	return {
		line,
		output,
		errors,
		started: started.promise,
		told: told.promise,
		outputTold: outputTold.promise,
		sent: sendInput(line, prepared, options.stdin),
	};
}

/** Waits for the program's first sign of life. One that is no longer wanted is ended when it gives it. */
async function untilStarted(
	host: RemoteHost,
	{ started, line }: Launched,
	{ signal, call }: { readonly signal: AbortSignal; readonly call: string },
): Promise<number | "lost"> {
	const limit = AbortSignal.timeout(startLimitMs);
	try {
		return await untilAborted(started, AbortSignal.any([signal, limit]));
	} catch (cause) {
		if (!signal.aborted && !limit.aborted) throw cause;
		const end = async () => {
			const group = await started;
			if (group !== "lost") await endTree(host, { group, call });
			line.abandon();
		};
		// Nobody waits for it: a network that is cut would hold up the interrupt.
		end().catch(() => undefined);
		signal.throwIfAborted();
		const seconds = startLimitMs / 1000;
		throw new BackendUnavailable(
			`Cannot start a command on ${host.transport.destination}: its login shell took longer than ${seconds} s`,
			{ cause },
		);
	}
}

function running(
	host: RemoteHost,
	launched: Launched,
	{ options, tree }: { readonly options: StartOptions; readonly tree: RemoteTree },
): Running {
	const { line, output, errors } = launched;
	let killing: Promise<void> | undefined;
	const mustTell = host.transport.needsEndReport && options.pty === undefined;
	const exited = mustTell ? toldEnd(host, launched, () => killing !== undefined) : line.exited;
	void endStreams(exited, launched);
	return {
		...(options.stdin === "pipe" && line.stdin && { stdin: line.stdin }),
		output: output.stream,
		...(options.control && options.pty === undefined && { control: errors.stream }),
		exited,
		async kill(signal) {
			if (signal !== undefined) return signalTree(host, tree, signal);
			killing ??= endTree(host, tree);
			await killing;
		},
	};
}

/** The end that the program told; without a word the client's own end means that the connection is lost. */
function toldEnd(
	{ transport }: RemoteHost,
	{ line, errors, told }: Launched,
	isKilled: () => boolean,
): Promise<number> {
	const untold = async () => {
		const code = await line.exited;
		const said = await errors.sourceEnded;
		// What is told comes before the end of the stream, so told has won by now if there was a word.
		if (isKilled()) return 128 + killSignal;
		throw new BackendUnavailable(
			`Lost the connection to ${transport.destination} while a command ran there: ssh ended with code ${code} ${said}`.trim(),
		);
	};
	return Promise.race([told, untold()]);
}

async function endStreams(exited: Promise<number>, { line, output, errors, outputTold }: Launched): Promise<void> {
	await exited.catch(() => undefined);
	output.release();
	errors.release();
	await Promise.race([
		outputTold.then(() => line.settled(() => output.received + errors.received)),
		Promise.all([output.sourceEnded, errors.sourceEnded]),
	]);
	output.end();
	errors.end();
}
