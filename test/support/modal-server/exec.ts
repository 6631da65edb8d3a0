/** One exec in a sandbox: its output is kept for a while, so that a reader who was cut off can go on where it was. */

import type { Running } from "../../../lib/environments/backend.ts";

/** What an exec was asked to be. */
export interface ExecRequest {
	readonly argv: readonly string[];
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly limitSeconds: number;
	readonly hasTerminal: boolean;
}

/** Kept behind a reader, and ahead of it. */
const keptBytes = 8 * 1024 * 1024;

/** Modal takes so much input at once. */
export const longestWrite = 2 * 1024 * 1024;

/** A started process. */
export class Exec {
	readonly output: Spool;
	readonly errors: Spool;
	readonly exited: Promise<number>;
	/** Bytes of input that were taken. */
	written = 0;
	isClosed = false;
	readonly #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
	#writing: Promise<unknown> = Promise.resolve();

	constructor(running: Running, { limitSeconds }: ExecRequest) {
		this.output = new Spool(running.output);
		this.errors = new Spool(running.control ?? new Blob([]).stream());
		this.exited = running.exited;
		this.#writer = running.stdin?.getWriter();
		this.#writer?.closed.catch(() => undefined);
		if (limitSeconds > 0) setTimeout(() => void running.kill(), limitSeconds * 1000).unref();
	}

	/** Input from `offset` on; what was taken before is not taken again. Resolves when the process's pipe has it. */
	async write(offset: number, data: Uint8Array, isLast: boolean): Promise<void> {
		const rest = data.subarray(Math.max(0, this.written - offset));
		this.written += rest.length;
		const isNew = !this.isClosed;
		if (isLast) this.isClosed = true;
		this.#writing = this.#writing.then(async () => {
			// A process may end without reading its input.
			if (rest.length > 0) await this.#writer?.write(rest).catch(() => undefined);
			if (isLast && isNew) await this.#writer?.close().catch(() => undefined);
		});
		await Promise.race([this.#writing, this.exited]);
	}

	/** The sandbox is gone, and everything with it. */
	drop(): void {
		this.output.drop();
		this.errors.drop();
	}
}

/** Bytes of a stream from any recent position on. */
export class Spool {
	#kept: Buffer[] = [];
	#start = 0;
	#end = 0;
	#readTo = 0;
	#isDone = false;
	#isDropped = false;
	#changed = Promise.withResolvers<void>();

	constructor(source: ReadableStream<Uint8Array>) {
		void this.#pump(source).catch(() => this.drop());
	}

	/** @throws {Gone} When the sandbox has ended; @throws {Error} When `offset` is not kept any more. */
	async *from(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
		signal.addEventListener("abort", () => this.#notify(), { once: true });
		if (offset < this.#start) throw new Error(`output before ${this.#start} is not kept`);
		for (let at = offset; ; ) {
			if (this.#isDropped) throw new Gone();
			const piece = this.#at(at);
			if (piece !== undefined) {
				at += piece.length;
				this.#readTo = Math.max(this.#readTo, at);
				this.#notify();
				yield piece;
			} else if (this.#isDone || signal.aborted) return;
			else await this.#changed.promise;
		}
	}

	drop(): void {
		this.#isDropped = true;
		this.#notify();
	}

	#at(offset: number): Buffer | undefined {
		let start = this.#start;
		for (const piece of this.#kept) {
			if (offset < start + piece.length) return piece.subarray(offset - start);
			start += piece.length;
		}
		return undefined;
	}

	async #pump(source: ReadableStream<Uint8Array>): Promise<void> {
		for await (const chunk of source) {
			this.#kept.push(Buffer.from(chunk));
			this.#end += chunk.length;
			this.#notify();
			while (!this.#isDropped && this.#end - this.#readTo > keptBytes) await this.#changed.promise;
			this.#forget();
		}
		this.#isDone = true;
		this.#notify();
	}

	#forget(): void {
		for (let first = this.#kept[0]; first !== undefined; first = this.#kept[0]) {
			if (this.#start + first.length > this.#readTo - keptBytes) return;
			this.#start += first.length;
			this.#kept.shift();
		}
	}

	#notify(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers<void>();
	}
}

/** The sandbox has ended. */
export class Gone extends Error {
	override readonly name = "Gone";
}
