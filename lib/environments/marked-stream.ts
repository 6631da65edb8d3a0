/** Finds our own lines in a stream of a remote process, and ends the stream when the process has ended. */

/** What comes before the first mark, kept for a message when there is none. */
const keptNoiseBytes = 4_096;

/** Buffered beyond this, reading waits for the consumer. */
const highWaterBytes = 1024 * 1024;

/** How long bytes that may be the beginning of a mark wait for the rest: a mark is written at once. */
const partialMarkMs = 20;

/** How a stream is read. */
export interface MarkedStreamOptions {
	readonly source: ReadableStream<Uint8Array>;
	readonly mark: string;
	/** `first`: everything after the first line with the mark is the program's. `all`: such lines may come anywhere. */
	readonly lines: "first" | "all";
	/** Called with what follows the mark on its line. */
	onLine(text: string): void;
}

/** A stream without our lines. It is read from the start on, whether or not somebody consumes it. */
export interface MarkedStream {
	readonly stream: ReadableStream<Uint8Array>;
	/** Bytes that have come so far. */
	readonly received: number;
	/** Settles at the source's own end, with what stood before the first mark when there was none. Never rejects. */
	readonly sourceEnded: Promise<string>;
	/** From now on nothing waits for the consumer. */
	release(): void;
	/** Ends the stream; what still comes is read and dropped, so that whoever writes it gets no SIGPIPE. */
	end(): void;
}

/** Reads `source` as `options` say. */
export function markedStream(options: MarkedStreamOptions): MarkedStream {
	return new MarkedSource(options);
}

class MarkedSource implements MarkedStream {
	readonly stream: ReadableStream<Uint8Array>;
	readonly sourceEnded: Promise<string>;
	readonly #options: MarkedStreamOptions;
	readonly #mark: Buffer;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#pending: Buffer = Buffer.alloc(0);
	/** How many of the first pending bytes the consumer has already. */
	#early = 0;
	#partialTimer: Timer | undefined;
	#isProgram = false;
	#isClosed = false;
	#isReleased = false;
	#resume: (() => void) | undefined;
	received = 0;

	constructor(options: MarkedStreamOptions) {
		this.#options = options;
		this.#mark = Buffer.from(options.mark);
		const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
			this.#controller = controller;
		};
		const pull = () => this.#resume?.();
		const cancel = () => this.end();
		this.stream = new ReadableStream(
			{ start, pull, cancel },
			{ highWaterMark: highWaterBytes, size: (chunk) => chunk?.length ?? 0 },
		);
		this.sourceEnded = this.#read();
	}

	release(): void {
		this.#isReleased = true;
		this.#resume?.();
	}

	end(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#resume?.();
		// A consumer that cancelled has closed it already.
		this.#attempt(() => this.#controller?.close());
	}

	async #read(): Promise<string> {
		try {
			for await (const chunk of this.#options.source) {
				this.received += chunk.length;
				if (this.#isClosed) continue;
				this.#take(chunk);
				while (!this.#isReleased && !this.#isClosed && (this.#controller?.desiredSize ?? 0) <= 0)
					await this.#consumed();
			}
			clearTimeout(this.#partialTimer);
			if (this.#isProgram) this.#deliver(this.#pending);
			this.end();
		} catch (cause) {
			clearTimeout(this.#partialTimer);
			this.#isClosed = true;
			this.#attempt(() => this.#controller?.error(cause));
		}
		return this.#isProgram ? "" : this.#pending.toString("utf8").trim();
	}

	#consumed(): Promise<void> {
		return new Promise((resolve) => {
			this.#resume = resolve;
		});
	}

	#take(chunk: Uint8Array): void {
		const { lines } = this.#options;
		if (this.#isProgram && lines === "first") {
			this.#deliver(chunk);
			return;
		}
		clearTimeout(this.#partialTimer);
		const bytes = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]);
		this.#pending = this.#takeLines(bytes);
		const mayBeMark = this.#isProgram && this.#pending.length > 0 && this.#pending.length < this.#mark.length;
		if (mayBeMark) this.#partialTimer = setTimeout(() => this.#deliverEarly(), partialMarkMs);
	}

	/** A program that waits for an answer to its last byte would wait for ever. Should it be a mark all the same, it is still found. */
	#deliverEarly(): void {
		this.#deliver(this.#pending);
		this.#early = this.#pending.length;
	}

	/** Handles every whole line with the mark; gives back what cannot be judged yet. */
	#takeLines(bytes: Buffer): Buffer {
		let rest = bytes;
		for (;;) {
			const at = rest.indexOf(this.#mark);
			if (at === -1) break;
			const newline = rest.indexOf("\n", at);
			if (this.#isProgram) this.#deliver(rest.subarray(0, at));
			if (newline === -1) return rest.subarray(this.#isProgram ? at : 0);
			const line = rest.toString("utf8", at + this.#mark.length, newline).trim();
			rest = rest.subarray(newline + 1);
			this.#early = 0;
			this.#isProgram = true;
			this.#options.onLine(line);
			if (this.#options.lines === "first") {
				this.#deliver(rest);
				return Buffer.alloc(0);
			}
		}
		if (!this.#isProgram) return rest.subarray(-Math.max(keptNoiseBytes, this.#mark.length));
		const held = heldBack(rest, this.#mark);
		this.#deliver(rest.subarray(0, rest.length - held));
		return rest.subarray(rest.length - held);
	}

	#deliver(bytes: Uint8Array): void {
		const fresh = bytes.subarray(this.#early);
		this.#early = Math.max(0, this.#early - bytes.length);
		if (fresh.length > 0 && !this.#isClosed) this.#controller?.enqueue(fresh);
	}

	#attempt(action: () => void): void {
		try {
			action();
		} catch (cause) {
			if (!(cause instanceof TypeError)) throw cause;
		}
	}
}

/** How many bytes at the end of `bytes` may be the beginning of a mark. */
function heldBack(bytes: Buffer, mark: Buffer): number {
	const longest = Math.min(mark.length - 1, bytes.length);
	for (let length = longest; length > 0; length--) {
		if (mark.subarray(0, length).equals(bytes.subarray(bytes.length - length))) return length;
	}
	return 0;
}
