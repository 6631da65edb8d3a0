/** A sandbox whose processes are started by a relay inside it; the same to everybody above, and much faster. */

import { untilAborted } from "../../base/abort.ts";
import { reasonOf } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import { BackendUnavailable, type Running, type Sandbox, type StartOptions } from "../backend.ts";
import { callMark, runMark } from "../call-marks.ts";
import { RelayClient } from "./client.ts";
import { Connections } from "./connections.ts";
import { endRemains, type Remains } from "./end-remains.ts";
import type { Refusal } from "./exchange.ts";
import { failure } from "./frames.ts";
import { createHelper } from "./helper.ts";
import { Job, type JobRequest, type StartedJob, startJob } from "./job.ts";
import { type LaunchedRelay, type LaunchOptions, launchRelay } from "./launch.ts";

/** How a relay is opened. */
export interface RelayOptions extends Omit<LaunchOptions, "signal"> {
	/** Ends the opening. */
	readonly signal: AbortSignal;
	/** How long the relay may take to say that it is there; 20 seconds when left out. */
	readonly helloTimeoutMs?: number;
	/** One line for the log: why the backend itself starts the commands. */
	onFallback(line: string): void;
}

/** A python3 on a slow disk at the other end of the world. */
const defaultHelloMs = 20_000;

/** How long a relay may take to end what runs and itself. */
const closeLimitMs = 3_000;

/**
 * `sandbox` with a relay in it, or as it is where no relay can run. What is returned owns `sandbox`; when it throws, the caller
 * still does.
 * @throws The reason of the signal.
 */
export async function withRelay(sandbox: Sandbox, options: RelayOptions): Promise<Sandbox> {
	options.signal.throwIfAborted();
	const opened = await openRelay(sandbox, options);
	if (typeof opened !== "string") return opened;
	options.signal.throwIfAborted();
	options.onFallback(`No relay runs in ${sandbox.ranOn} (${opened}); commands are started without it`);
	return sandbox;
}

/** The sandbox, or why there is no relay in it. */
async function openRelay(sandbox: Sandbox, options: RelayOptions): Promise<RelaySandbox | string> {
	const limit = AbortSignal.timeout(options.helloTimeoutMs ?? defaultHelloMs);
	const signal = AbortSignal.any([options.signal, limit]);
	let launched: LaunchedRelay | undefined;
	try {
		launched = await launchRelay(sandbox, { ...options, signal });
		const relayed = new RelaySandbox(sandbox, launched, options);
		await relayed.opened(signal);
		return relayed;
	} catch (cause) {
		// A sandbox that cannot even start a process says so again when the first command comes.
		const complaint = launched?.complaint();
		if (launched !== undefined) await endRelay(launched.running);
		if (limit.aborted) return "it takes too long to start";
		return complaint || (cause instanceof Error ? cause.message : String(cause));
	}
}

async function endRelay(running: Running): Promise<void> {
	running.exited.catch(() => undefined);
	await settledWithin(
		running.kill().catch(() => undefined),
		closeLimitMs,
	);
}

class RelaySandbox implements Sandbox {
	readonly #sandbox: Sandbox;
	readonly #launched: LaunchedRelay;
	readonly #client: RelayClient;
	readonly #run = `${runMark}=${crypto.randomUUID()}`;
	readonly #onFallback: (line: string) => void;
	readonly #helper: NonNullable<Sandbox["helper"]>;
	/** A backend that was not given a PATH for the relay has its own idea of one. */
	readonly #completes: boolean;
	#isOpen = false;
	#isClosing = false;

	constructor(sandbox: Sandbox, launched: LaunchedRelay, { onFallback, path }: RelayOptions) {
		this.#sandbox = sandbox;
		this.#launched = launched;
		this.#onFallback = onFallback;
		this.#completes = path === undefined;
		const connections = new Connections();
		this.#client = new RelayClient(
			{ stdin: launched.stdin, output: launched.running.output },
			{
				onLost: (reason) => this.#lost(reason),
				onConnection: (number, listener) => connections.accept(this.#client, number, listener),
			},
		);
		this.#helper = createHelper(this.#client, {
			start: (request) => this.#start(request),
			connections,
		});
	}

	/** Settles when the relay has said that it is there. */
	async opened(signal: AbortSignal): Promise<void> {
		await untilAborted(this.#client.hello, signal);
		this.#isOpen = true;
	}

	get ranOn(): string {
		return this.#sandbox.ranOn;
	}

	get helper(): Sandbox["helper"] {
		return this.#client.isLost ? undefined : this.#helper;
	}

	async start(argv: readonly string[], options: StartOptions): Promise<Running> {
		options.signal.throwIfAborted();
		if (this.#client.isLost) return this.#sandbox.start(argv, options);
		const started = await this.#start({ argv, options });
		return "running" in started ? started.running : notStarted(argv, options, started);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosing = true;
		const { running } = this.#launched;
		running.exited.catch(() => undefined);
		const closed = this.#client.close();
		await settledWithin(
			running.exited.catch(() => undefined),
			closeLimitMs,
		);
		await settledWithin(closed, closeLimitMs);
		await this.#sandbox[Symbol.asyncDispose]();
	}

	#start(request: Omit<JobRequest, "marks" | "completes">): Promise<StartedJob | Refusal> {
		return startJob(this.#client, { ...request, marks: this.#marks, completes: this.#completes });
	}

	readonly #marks: JobRequest["marks"] = (number) => [this.#run, `${callMark}=${number}x`];

	/** What the relay started is ended before anybody is told, and before anything else may take its place. */
	async #lost(reason: string): Promise<void> {
		if (!this.#isOpen || this.#isClosing) return;
		const why = [reason, this.#launched.complaint()].filter((part) => part !== "").join("; ");
		this.#onFallback(`The relay in ${this.ranOn} is lost (${why}); commands are started without it`);
		const remains = [...this.#client.exchanges].flatMap((exchange): Remains[] =>
			exchange instanceof Job && exchange.remains ? [exchange.remains] : [],
		);
		// It may still run, and start what it was asked to.
		await endRelay(this.#launched.running);
		if (remains.length === 0) return;
		await endRemains(this.#sandbox, this.#run, remains).catch((cause: unknown) => {
			// Not that something could not be started: whoever believes that runs it a second time.
			throw new BackendUnavailable(`Cannot finish what may be done in part: ${reasonOf(cause)}`, { cause });
		});
	}
}

/** A program that cannot be started is a process that says so, as with a backend's own start. */
function notStarted(argv: readonly string[], options: StartOptions, { why, text }: Refusal): Running {
	if (why === failure.refused) throw new BackendUnavailable(`Cannot start a process: ${text}`);
	const isMissing = why === failure.notFound || why === failure.noFolder;
	const reason = isMissing ? "not found, or its folder is gone" : text;
	return {
		output: new Blob([`Cannot start "${argv[0] ?? ""}": ${reason}\n`]).stream(),
		...(options.control && { control: new Blob([]).stream() }),
		exited: Promise.resolve(isMissing ? 127 : 126),
		kill: () => Promise.resolve(),
	};
}
