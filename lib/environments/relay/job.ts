/** A process that the relay started: its frames become the streams and the end that the rest of the program knows. */

import type { Running, StartOptions } from "../backend.ts";
import type { RelayClient } from "./client.ts";
import { type Exchange, type Refusal, readRefusal } from "./exchange.ts";
import { type Frame, failure, fromRelay, ProtocolBroken, part, toRelay } from "./frames.ts";
import { Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";

/** What the relay is to start. */
export interface JobRequest {
	readonly argv: readonly string[];
	readonly options: StartOptions;
	/** Variables that mark the process and all that it starts. */
	readonly marks: (number: number) => readonly string[];
	/** An environment without PATH is completed with what the relay itself was given, as the backend's own start does. */
	readonly completes: boolean;
	/** `program`, or an archive of the named files, or one to unpack. */
	readonly what?: "program" | "createTar" | "extractTar";
	/** A folder above takes the place of one that is gone. */
	readonly takesNearest?: boolean;
	/** A file without which nothing is started. */
	readonly needs?: string;
	/** A file that the process writes; it comes back as `control` when it has ended, and is removed. */
	readonly statePath?: string;
}

/** A process that runs. */
export interface StartedJob {
	readonly running: Running;
	readonly pid: number;
	/** Where it started, when that was asked for. */
	readonly folder: string;
	readonly isAskedFolder: boolean;
}

const kinds = { program: 0, createTar: 1, extractTar: 2 } as const;
const flags = { hasInput: 1, onTerminal: 2, apart: 4, background: 8, nearest: 16, inherit: 32 } as const;

/** Starts it. A refusal means that nothing runs. @throws {ProcessLost} @throws The reason of the signal. */
export async function startJob(client: RelayClient, request: JobRequest): Promise<StartedJob | Refusal> {
	const { signal } = request.options;
	const job = new Job(client, request);
	const abandon = () => job.abandon();
	signal.addEventListener("abort", abandon, { once: true });
	try {
		const outcome = await job.started;
		if (!signal.aborted) return outcome;
		throw signal.reason;
	} finally {
		signal.removeEventListener("abort", abandon);
	}
}

/** One process, as an exchange. */
export class Job implements Exchange {
	readonly #client: RelayClient;
	readonly #number: number;
	readonly #marks: readonly string[];
	readonly #started = Promise.withResolvers<StartedJob | Refusal>();
	readonly #exited = Promise.withResolvers<number>();
	readonly #output: Inbound;
	readonly #control: Inbound | undefined;
	readonly #input: Outbound | undefined;
	readonly #isInteractive: boolean;
	readonly #isOnTerminal: boolean;
	#pid = 0;
	#hasExited = false;
	#isAbandoned = false;
	#killing: Promise<void> | undefined;

	constructor(client: RelayClient, request: JobRequest) {
		this.#client = client;
		const { options, statePath } = request;
		this.#number = client.begin(this);
		this.#marks = request.marks(this.#number);
		this.#output = this.#inbound(fromRelay.output);
		this.#control = options.control || statePath ? this.#inbound(fromRelay.control) : undefined;
		this.#input = hasInput(options) ? this.#outbound() : undefined;
		this.#isInteractive = options.stdin === "pipe";
		this.#isOnTerminal = options.pty !== undefined;
		// Whoever waits for it is told; nobody has to.
		this.#exited.promise.catch(() => undefined);
		client.send(toRelay.start, this.#number, startBody(request, this.#marks));
		if (options.stdin instanceof Uint8Array) void this.#input?.writeAll(options.stdin);
		else if (options.stdin === "none") this.#input?.finish();
	}

	get started(): Promise<StartedJob | Refusal> {
		return this.#started.promise;
	}

	get isAwaited(): boolean {
		return this.#pid === 0 && !this.#isAbandoned;
	}

	/** What is left to end when the relay is gone; undefined when it has ended. */
	get remains(): { readonly group: number; readonly marks: readonly string[] } | undefined {
		return this.#hasExited ? undefined : { group: this.#pid, marks: this.#marks };
	}

	/** Nobody wants it any more: it is not started, or ended when it was. */
	abandon(): void {
		if (this.#pid !== 0 || this.#isAbandoned) return;
		this.#isAbandoned = true;
		this.#client.ask(toRelay.kill, this.#killBody("")).catch(() => undefined);
		this.#started.resolve({ why: failure.cancelled, errno: 0, text: "cancelled" });
	}

	frame({ kind, body }: Frame): boolean {
		if (this.#pid === 0) return this.#begin(kind, body);
		switch (kind) {
			case fromRelay.output:
				this.#output.push(body);
				return false;
			case fromRelay.control:
				this.#expected(this.#control).push(body);
				return false;
			case fromRelay.outputEnd:
				this.#output.end();
				break;
			case fromRelay.controlEnd:
				this.#expected(this.#control).end();
				break;
			case fromRelay.exit:
				this.#end(body.readInt32BE(0));
				break;
			case fromRelay.credit:
				this.#expected(this.#input).credit(body.readUInt32BE(0));
				return false;
			case fromRelay.inputClosed:
				this.#expected(this.#input).closed();
				return false;
			default:
				throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a process that runs`);
		}
		return this.#hasExited && this.#output.isEnded && (this.#control?.isEnded ?? true);
	}

	lost(cause: Error): void {
		this.#started.reject(cause);
		this.#exited.reject(cause);
		this.#output.cut();
		this.#control?.cut();
		this.#input?.closed();
	}

	#begin(kind: number, body: Buffer): boolean {
		if (kind === fromRelay.failed) {
			this.#input?.closed();
			this.#hasExited = true;
			this.#started.resolve(readRefusal(body));
			return true;
		}
		const pid = kind === fromRelay.started ? body.readUInt32BE(0) : 0;
		// Ending a group with number 1 or 0 would end others than ours.
		if (pid < 2) throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a process that has not started`);
		this.#pid = pid;
		this.#started.resolve({
			running: this.#running(),
			pid,
			isAskedFolder: body.readUInt8(4) === 1,
			folder: body.toString("utf8", 5),
		});
		if (this.#isAbandoned) this.#dropAll();
		return false;
	}

	#dropAll(): void {
		void this.#output.stream.cancel();
		void this.#control?.stream.cancel();
		void this.#kill();
	}

	#end(status: number): void {
		if (this.#hasExited) throw new ProtocolBroken("Cannot end a process: it has ended");
		this.#hasExited = true;
		this.#input?.closed();
		this.#exited.resolve(status < 0 ? 128 - status : status);
	}

	#running(): Running {
		return {
			...(this.#isInteractive && this.#input && { stdin: this.#input.stream }),
			...(this.#control && { control: this.#control.stream }),
			output: this.#output.stream,
			exited: this.#exited.promise,
			kill: (signal) => this.#kill(signal),
			...(this.#isOnTerminal && { resize: (size) => this.#resize(size) }),
		};
	}

	#resize({ columns, rows }: NonNullable<StartOptions["pty"]>): void {
		const body = Buffer.concat([part.short(columns), part.short(rows)]);
		if (!this.#hasExited) this.#client.send(toRelay.resize, this.#number, body);
	}

	async #kill(signal?: NodeJS.Signals): Promise<void> {
		if (signal !== undefined) return this.#signal(signal);
		this.#killing ??= this.#signal("");
		await this.#killing;
	}

	async #signal(name: string): Promise<void> {
		if (!this.#client.isLost) await this.#client.ask(toRelay.kill, this.#killBody(name)).catch(() => undefined);
		// When the relay is gone, everything it ran is ended anyway.
		if (this.#client.isLost) await this.#client.lostSettled;
	}

	#killBody(signal: string): Buffer {
		return Buffer.concat([
			part.number(this.#number),
			part.number(this.#pid),
			part.text(signal),
			part.texts(this.#marks),
		]);
	}

	#inbound(kind: number): Inbound {
		return new Inbound((bytes) =>
			this.#client.send(toRelay.window, this.#number, Buffer.concat([part.byte(kind), part.number(bytes)])),
		);
	}

	#outbound(): Outbound {
		return new Outbound({
			send: (bytes) => this.#client.send(toRelay.data, this.#number, bytes),
			end: () => this.#client.send(toRelay.dataEnd, this.#number),
		});
	}

	#expected<T>(stream: T | undefined): T {
		if (stream === undefined) throw new ProtocolBroken("Cannot take bytes: the process has no such stream");
		return stream;
	}
}

function hasInput({ stdin, pty }: StartOptions): boolean {
	return stdin !== "none" || pty !== undefined;
}

function startBody(request: JobRequest, marks: readonly string[]): Buffer {
	const { argv, options, what = "program", takesNearest = false, needs = "", statePath = "" } = request;
	const { env, cwd, pty, control = false, deadlineSeconds = 0 } = options;
	const bits =
		(hasInput(options) ? flags.hasInput : 0) |
		(pty ? flags.onTerminal : 0) |
		(control ? flags.apart : 0) |
		(options.outlivesUs ? flags.background : 0) |
		(takesNearest ? flags.nearest : 0) |
		(request.completes && env.PATH === undefined ? flags.inherit : 0);
	return Buffer.concat([
		Buffer.from([kinds[what], bits]),
		part.number(Math.ceil(deadlineSeconds * 1000)),
		part.short(pty?.columns ?? 0),
		part.short(pty?.rows ?? 0),
		part.texts(argv),
		part.texts(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
		part.texts(marks),
		part.text(cwd),
		part.text(needs),
		part.text(statePath),
	]);
}
