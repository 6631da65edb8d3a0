/** Ends a stream that others may hold open after what it belongs to has ended. */

/**
 * After the mark, while another process still holds the stream: how long it may be silent, and how long this may go on.
 * `exec > >(tee log)` writes its last lines then, and a network lies between.
 */
const silentMs = 150;
const lingerMs = 500;

/**
 * Without a mark, once the end is known from elsewhere: the process had lost its output. The two come by ways of their own, and
 * on a busy machine the output has come seconds after the end; what is given up here is lost.
 */
const markLimitMs = 60_000;

/** Buffered beyond this, reading waits for the consumer. */
const highWaterBytes = 1024 * 1024;

/** What tells that everything has been said. */
export interface EndMark {
	/** Written to the stream as the last word, by nobody else; it is taken out. */
	readonly mark: string;
	/** Resolves to true when the end is known by other means. */
	readonly ended: Promise<boolean>;
}

/**
 * `source` up to its own end, or up to the mark and what follows at once. What comes later is read and dropped, so that its
 * writer is not disturbed.
 */
export function endAtMark(source: ReadableStream<Uint8Array>, end: EndMark): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(new UntilMark(source, end), {
		highWaterMark: highWaterBytes,
		size: (chunk) => chunk?.length ?? 0,
	});
}

class UntilMark {
	readonly #source: ReadableStream<Uint8Array>;
	readonly #ended: Promise<boolean>;
	readonly #mark: Buffer;
	/** The end of what came, which may be the beginning of the mark. */
	#held: Buffer = Buffer.alloc(0);
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#received = 0;
	readonly #marked = Promise.withResolvers<void>();
	readonly #closed = Promise.withResolvers<void>();
	#isMarked = false;
	#consumed: (() => void) | undefined;

	constructor(source: ReadableStream<Uint8Array>, { mark, ended }: EndMark) {
		this.#source = source;
		this.#ended = ended;
		this.#mark = Buffer.from(mark);
	}

	start(controller: ReadableStreamDefaultController<Uint8Array>): void {
		this.#controller = controller;
		// Not awaited: a stream reads nothing before its start has settled.
		this.#pass().catch((cause) => this.#fail(cause));
		void this.#watch();
	}

	pull(): void {
		this.#consumed?.();
	}

	cancel(): void {
		this.#leave();
	}

	async #pass(): Promise<void> {
		for await (const chunk of this.#source) {
			this.#received++;
			if (this.#controller === undefined) continue;
			if (this.#isMarked) this.#deliver(chunk);
			else this.#search(this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]));
			if (this.#isFull()) await this.#untilConsumed();
		}
		this.#finish();
	}

	#search(said: Buffer): void {
		const at = said.indexOf(this.#mark);
		if (at === -1) {
			const held = heldBytes(said, this.#mark);
			this.#held = said.subarray(said.length - held);
			this.#deliver(said.subarray(0, said.length - held));
			return;
		}
		this.#held = Buffer.alloc(0);
		this.#isMarked = true;
		this.#deliver(said.subarray(0, at));
		this.#deliver(said.subarray(at + this.#mark.length));
		this.#marked.resolve();
	}

	async #watch(): Promise<void> {
		await Promise.race([this.#marked.promise, this.#closed.promise, this.#withoutMark()]);
		const giveUpAt = performance.now() + lingerMs;
		for (
			let before = -1;
			before !== this.#received && performance.now() < giveUpAt && this.#controller !== undefined;
		) {
			before = this.#received;
			await Promise.race([this.#closed.promise, Bun.sleep(silentMs)]);
		}
		this.#finish();
	}

	async #withoutMark(): Promise<void> {
		if (await this.#ended) await Bun.sleep(markLimitMs);
		else await this.#closed.promise;
	}

	#deliver(chunk: Uint8Array): void {
		if (chunk.length > 0) this.#controller?.enqueue(chunk);
	}

	#isFull(): boolean {
		return this.#controller !== undefined && (this.#controller.desiredSize ?? 0) <= 0;
	}

	#untilConsumed(): Promise<void> {
		return new Promise((resolve) => {
			this.#consumed = resolve;
		});
	}

	#finish(): void {
		this.#deliver(this.#held);
		this.#controller?.close();
		this.#leave();
	}

	#fail(cause: unknown): void {
		this.#controller?.error(cause);
		this.#leave();
	}

	#leave(): void {
		this.#controller = undefined;
		this.#closed.resolve();
		this.#consumed?.();
	}
}

/** How many bytes at the end of `said` could be the beginning of `mark`. */
function heldBytes(said: Buffer, mark: Buffer): number {
	const most = Math.min(said.length, mark.length - 1);
	for (let length = most; length > 0; length--) {
		if (said.subarray(said.length - length).equals(mark.subarray(0, length))) return length;
	}
	return 0;
}
