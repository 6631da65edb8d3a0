/** Reads what a process wrote, without waiting for those it started. */

import { readSync } from "node:fs";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { settledWithin } from "../../base/settled-within.ts";

/** Where output comes from. */
export interface OutputSource {
	/** The same bytes as the descriptor, as they come. */
	readonly stream: ReadableStream<Uint8Array>;
	/** A non-blocking descriptor; undefined where there is only the stream. */
	readonly descriptor: number | undefined;
	/** Takes over when nobody here reads any more: `atEnd` tells whether everybody closed the other end. */
	release(atEnd: boolean): void;
}

/** More than any pipe holds. Beyond it, what comes is not from the process that ended: `yes &` never pauses. */
const pipeBytes = 1024 * 1024;

/**
 * After the end, while another process still holds the pipe: how long it may be silent, and how long this may go on.
 * `exec > >(tee log)` writes its last lines then.
 */
const silentMs = 60;
const lingerMs = 250;

/** Buffered beyond this, reading waits for the consumer. */
const highWaterBytes = 1024 * 1024;

/**
 * The output of a process, up to everything it wrote itself. It ends with the last writer, or soon after `exited` when a
 * grandchild keeps the pipe.
 */
export function readUntilEnd(source: OutputSource, exited: Promise<unknown>): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(new UntilEnd(source, exited), {
		highWaterMark: highWaterBytes,
		size: (chunk) => chunk?.length ?? 0,
	});
}

class UntilEnd {
	readonly #source: OutputSource;
	readonly #exited: Promise<unknown>;
	readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#received = 0;
	#hasExited = false;
	#isClosed = false;
	readonly #closed = Promise.withResolvers<void>();
	#resume: (() => void) | undefined;

	constructor(source: OutputSource, exited: Promise<unknown>) {
		this.#source = source;
		this.#exited = exited;
		this.#reader = source.stream.getReader();
	}

	start(controller: ReadableStreamDefaultController<Uint8Array>): void {
		this.#controller = controller;
		// Not awaited: a stream reads nothing before its start has settled. Failures reach the consumer.
		Promise.all([this.#readStream(), this.#endAfterExit()]).catch((cause) => this.#fail(cause));
	}

	pull(): void {
		this.#resume?.();
	}

	cancel(): void {
		if (!this.#isClosed) this.#stop(false);
	}

	async #readStream(): Promise<void> {
		for (;;) {
			const { done, value } = await this.#reader.read();
			if (done) return this.#finish(true);
			if (this.#isClosed) continue;
			this.#deliver(value);
			if (!this.#hasExited && (this.#controller?.desiredSize ?? 0) <= 0) await this.#consumed();
		}
	}

	#consumed(): Promise<void> {
		return new Promise((resolve) => {
			this.#resume = resolve;
		});
	}

	async #endAfterExit(): Promise<void> {
		await this.#exited;
		this.#hasExited = true;
		this.#resume?.();
		await this.#settled();
		if (!this.#isClosed && this.#readRest()) return this.#finish(true);
		await this.#linger();
		this.#finish(false);
	}

	/** Waits until Bun has handed over what it had read before the end, so that the rest follows in order. */
	async #settled(): Promise<void> {
		const limit = this.#received + pipeBytes;
		for (let before = -1; before !== this.#received && this.#received < limit && !this.#isClosed; ) {
			before = this.#received;
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** Takes what is in the pipe now; true at its end. */
	#readRest(): boolean {
		const { descriptor } = this.#source;
		if (descriptor === undefined) return false;
		const buffer = Buffer.allocUnsafe(65_536);
		for (let total = 0; total < pipeBytes; ) {
			const count = readNow(descriptor, buffer);
			if (count === undefined) return false;
			if (count === 0) return true;
			this.#deliver(Uint8Array.from(buffer.subarray(0, count)));
			total += count;
		}
		return false;
	}

	async #linger(): Promise<void> {
		const giveUpAt = performance.now() + lingerMs;
		for (let before = -1; before !== this.#received && performance.now() < giveUpAt && !this.#isClosed; ) {
			before = this.#received;
			await settledWithin(this.#closed.promise, silentMs);
		}
	}

	#deliver(chunk: Uint8Array): void {
		this.#received += chunk.length;
		this.#controller?.enqueue(chunk);
	}

	#finish(atEnd: boolean): void {
		if (this.#isClosed) return;
		this.#controller?.close();
		this.#stop(atEnd);
	}

	#fail(cause: unknown): void {
		if (this.#isClosed) return;
		this.#controller?.error(cause);
		this.#stop(false);
	}

	#stop(atEnd: boolean): void {
		this.#isClosed = true;
		this.#closed.resolve();
		this.#resume?.();
		// Without a descriptor nobody can take over: what comes is read here, and dropped.
		if (this.#source.descriptor === undefined && !atEnd) return;
		// Closing a descriptor that Bun still watches would make it watch the next one of that number.
		const release = () => this.#source.release(atEnd);
		this.#reader.cancel().then(release, release);
	}
}

/** How many bytes there were, 0 at the end, undefined when there is nothing yet. */
function readNow(descriptor: number, buffer: Uint8Array): number | undefined {
	try {
		return readSync(descriptor, buffer);
	} catch (cause) {
		if (cause instanceof Error && "code" in cause && cause.code === "EAGAIN") return undefined;
		throw cause;
	}
}
