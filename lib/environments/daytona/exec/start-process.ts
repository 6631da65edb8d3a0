/** Starts one process in a sandbox and makes of it what the shell above expects. */

import type { Running, StartOptions } from "../../backend.ts";
import { environmentText } from "../../environment-text.ts";
import { markedStream } from "../../marked-stream.ts";
import { Conversation } from "./conversation.ts";
import { Feeder } from "./feeder.ts";
import { inStream, launchScript } from "./launch-script.ts";
import type { ExecPlace } from "./place.ts";

/** What comes this long after the end is not waited for: somebody else holds the output. */
const lingerMs = 300;

/**
 * Starts `argv`. One that is not there is a process that says so and exits 127.
 * @throws {NotStarted} When the service or the connection fails; nothing was started.
 * @throws {BackendUnavailable} When the sandbox can start nothing.
 */
export async function startProcess(place: ExecPlace, argv: readonly string[], options: StartOptions): Promise<Running> {
	const { stdin, pty, control, signal, cwd, env } = options;
	if (pty !== undefined) throw new Error("Cannot start a process on a terminal: daytona has none");
	signal.throwIfAborted();
	const mark = `hermes-${crypto.randomUUID()}`;
	const call = crypto.randomUUID();
	const folder = `${place.parent}/${call}`;
	const feeder = stdin === "pipe" ? new Feeder(place) : undefined;
	const process = new ProcessStreams(place, mark, feeder);
	const launch = {
		mark: `${mark}p`,
		lineMark: `${mark}l`,
		parent: place.parent,
		folder,
		run: place.run,
		call,
		environment: environmentText(env, place.inherited),
		cwd,
		argv,
		input: typeof stdin === "string" ? stdin : stdin.length,
		isApart: control === true,
	};
	try {
		await process.conversation.begin({
			script: launchScript(launch),
			input: typeof stdin === "string" ? undefined : stdin,
			signal,
			prepare: async () => feeder?.open(`${folder}/in`, signal),
		});
	} catch (cause) {
		feeder?.close();
		throw cause;
	}
	return process.running(control === true);
}

/** Makes streams of what the script says. */
class ProcessStreams {
	readonly conversation: Conversation;
	readonly #exited = Promise.withResolvers<number>();
	readonly #output: Source;
	readonly #control: Source;
	readonly #lines: ReturnType<typeof markedStream>;
	readonly #feeder: Feeder | undefined;

	constructor(place: ExecPlace, mark: string, feeder: Feeder | undefined) {
		this.#feeder = feeder;
		this.#output = new Source();
		this.#control = new Source();
		this.#lines = markedStream({
			source: this.#output.stream,
			mark: inStream(`${mark}l`),
			lines: "all",
			onLine: (text) => this.#onLine(text),
		});
		this.#exited.promise.catch(() => undefined);
		this.conversation = new Conversation(place, mark, {
			onOutput: (bytes) => this.#output.push(bytes),
			onControl: (bytes) => void this.#control.push(bytes),
			onLast: () => {
				feeder?.close();
				this.#output.close();
				this.#control.close();
			},
			onLost: (cause) => {
				feeder?.close();
				this.#exited.reject(cause);
				this.#output.fail(cause);
				this.#control.fail(cause);
			},
		});
	}

	running(isApart: boolean): Running {
		let killing: Promise<void> | undefined;
		return {
			...(this.#feeder && { stdin: this.#feeder.stream() }),
			output: this.#lines.stream,
			...(isApart && { control: this.#control.stream }),
			exited: this.#exited.promise,
			kill: async (signal) => {
				// Whoever waits for its end reads no more.
				if (signal === undefined) this.#lines.release();
				if (signal !== undefined) return this.conversation.kill(signal);
				killing ??= this.conversation.kill(undefined);
				await killing;
			},
		};
	}

	#onLine(text: string): void {
		const [word, value] = text.split(" ");
		if (word === "killed") this.conversation.killed(Number(value));
		if (word !== "end") return;
		this.#exited.resolve(Number(value));
		this.#lines.release();
		setTimeout(() => this.conversation.cut(), lingerMs).unref();
	}
}

/** A stream that is filled from outside. */
class Source {
	readonly stream: ReadableStream<Uint8Array>;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#consumed: (() => void) | undefined;

	constructor() {
		this.stream = new ReadableStream<Uint8Array>(
			{
				start: (controller) => {
					this.#controller = controller;
				},
				pull: () => this.#consumed?.(),
				cancel: () => this.#leave(),
			},
			{ highWaterMark: 1, size: (chunk) => chunk?.length ?? 0 },
		);
	}

	/** Resolves when a reader wants more. */
	async push(bytes: Uint8Array): Promise<void> {
		if (this.#controller === undefined || bytes.length === 0) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#consumed = resolve;
		this.#controller.enqueue(bytes);
		if ((this.#controller.desiredSize ?? 1) <= 0) await promise;
	}

	close(): void {
		this.#controller?.close();
		this.#leave();
	}

	fail(cause: Error): void {
		this.#controller?.error(cause);
		this.#leave();
	}

	#leave(): void {
		this.#controller = undefined;
		this.#consumed?.();
	}
}
