/** Ends a stream that others may hold open after what it belongs to has ended. */

/**
 * After the end: how long the stream must be silent, and how long this may go on. What the process itself wrote may still be on
 * its way through a service that is busy; a grandchild that never pauses is not waited for.
 */
const silentMs = 200;
const lingerMs = 1_000;

/** Buffered beyond this, reading waits for the consumer. */
const highWaterBytes = 1024 * 1024;

/**
 * `source` up to its own end, or until it is silent after `ended` has resolved to true. What comes later is read and dropped, so
 * that its writer is not disturbed.
 */
export function endWhenQuiet(source: ReadableStream<Uint8Array>, ended: Promise<boolean>): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(new UntilQuiet(source, ended), {
		highWaterMark: highWaterBytes,
		size: (chunk) => chunk?.length ?? 0,
	});
}

class UntilQuiet {
	readonly #source: ReadableStream<Uint8Array>;
	readonly #ended: Promise<boolean>;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#received = 0;
	readonly #closed = Promise.withResolvers<void>();
	#consumed: (() => void) | undefined;

	constructor(source: ReadableStream<Uint8Array>, ended: Promise<boolean>) {
		this.#source = source;
		this.#ended = ended;
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
			this.#controller?.enqueue(chunk);
			if (this.#isFull()) await new Promise<void>((resolve) => (this.#consumed = resolve));
		}
		this.#finish();
	}

	async #watch(): Promise<void> {
		if (!(await this.#ended)) return;
		const giveUpAt = performance.now() + lingerMs;
		for (let before = -1; before !== this.#received && performance.now() < giveUpAt; ) {
			before = this.#received;
			await Promise.race([this.#closed.promise, Bun.sleep(silentMs)]);
			// A consumer that is behind says nothing about the source.
			if (this.#isFull()) before = -1;
		}
		this.#finish();
	}

	#isFull(): boolean {
		return this.#controller !== undefined && (this.#controller.desiredSize ?? 0) <= 0;
	}

	#finish(): void {
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
