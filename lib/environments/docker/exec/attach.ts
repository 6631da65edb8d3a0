/** The streams of a process in a container, made of the engine's one connection for it. */

import type { StartOptions } from "../../backend.ts";
import { createDemultiplexer } from "./demultiplex.ts";

/** A connection to a started process. */
export interface Attached {
	readonly stdin: WritableStream<Uint8Array> | undefined;
	readonly output: ReadableStream<Uint8Array>;
	/** Standard error; only when it was asked for. */
	readonly control: ReadableStream<Uint8Array> | undefined;
	/** The number of the process group, or 0 when the connection ended before it came. */
	readonly group: Promise<number>;
	/** Settles when the connection has ended, however it ended. */
	readonly ended: Promise<void>;
}

/** Buffered beyond this, the engine has to wait for our reader, and the process for the engine. */
const highWaterBytes = 1024 * 1024;

/** What `echo $$` can be; anything longer is not it. */
const longestGroupLine = 12;

/** Takes over `connection`, which the engine has just handed over. */
export function attach(
	connection: NodeJS.ReadWriteStream,
	options: Pick<StartOptions, "stdin" | "pty"> & { readonly control: boolean },
): Attached {
	const ended = Promise.withResolvers<void>();
	const group = Promise.withResolvers<number>();
	const output = new Outlet(connection);
	const control = options.control ? new Outlet(undefined) : undefined;
	const errors = withoutFirstLine(group.resolve, (chunk) => (control ?? output).push(chunk));
	const onTerminal = withoutFirstLine(group.resolve, (chunk) => output.push(chunk));
	const framed = createDemultiplexer({ output: (chunk) => output.push(chunk), errors });
	connection.on("data", options.pty === undefined ? framed : onTerminal);
	const end = () => {
		group.resolve(0);
		output.close();
		control?.close();
		ended.resolve();
	};
	connection.on("end", end);
	connection.on("close", end);
	connection.on("error", end);
	return {
		stdin: openInput(connection, options.stdin),
		output: output.stream,
		control: control?.stream,
		group: group.promise,
		ended: ended.promise,
	};
}

/** A stream for a reader who may be slow, or gone: then what comes is dropped. */
class Outlet {
	readonly stream: ReadableStream<Uint8Array>;
	readonly #source: NodeJS.ReadWriteStream | undefined;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;

	/** `source` is held back while the reader is behind; without one, everything is kept. */
	constructor(source: NodeJS.ReadWriteStream | undefined) {
		this.#source = source;
		this.stream = new ReadableStream<Uint8Array>(
			{
				start: (controller) => {
					this.#controller = controller;
				},
				pull: () => void source?.resume(),
				cancel: () => {
					this.#controller = undefined;
					source?.resume();
				},
			},
			{ highWaterMark: highWaterBytes, size: (chunk) => chunk?.length ?? 0 },
		);
	}

	push(chunk: Uint8Array): void {
		if (this.#controller === undefined || chunk.length === 0) return;
		this.#controller.enqueue(chunk);
		if ((this.#controller.desiredSize ?? 0) <= 0) this.#source?.pause();
	}

	close(): void {
		this.#controller?.close();
		this.#controller = undefined;
	}
}

/** Passes on all but the first line when that is a number; what else comes first is nobody's but the reader's. */
function withoutFirstLine(
	resolve: (group: number) => void,
	pass: (chunk: Uint8Array) => void,
): (chunk: Uint8Array) => void {
	let first: Buffer | undefined = Buffer.alloc(0);
	return (chunk) => {
		if (first === undefined) return pass(chunk);
		first = Buffer.concat([first, chunk]);
		const newline = first.indexOf("\n");
		if (newline === -1 && first.length <= longestGroupLine) return;
		const line = /^(\d+)\r?$/.exec(first.subarray(0, Math.max(newline, 0)).toString("latin1"))?.[1];
		const rest = line === undefined ? first : first.subarray(newline + 1);
		first = undefined;
		if (line !== undefined) resolve(Number(line));
		pass(rest);
	};
}

function openInput(
	connection: NodeJS.ReadWriteStream,
	stdin: StartOptions["stdin"],
): WritableStream<Uint8Array> | undefined {
	if (stdin === "none") return undefined;
	if (stdin !== "pipe") {
		// A command may end without reading its input; that it failed to arrive is no failure then.
		connection.end(stdin);
		return undefined;
	}
	return new WritableStream<Uint8Array>({
		write: (chunk) => written(connection, chunk),
		close: () => void connection.end(),
		abort: () => void connection.end(),
	});
}

async function written(connection: NodeJS.ReadWriteStream, chunk: Uint8Array): Promise<void> {
	if (connection.write(chunk)) return;
	await new Promise<void>((resolve) => {
		connection.once("drain", resolve);
		connection.once("close", resolve);
	});
}
