/** A stream that is fed from outside, ends at a mark, and tells whether somebody reads it. */

/** Buffered beyond this, nothing more is fetched until somebody reads. */
const highWaterBytes = 1024 * 1024;

/** Takes bytes and hands them on. Without a mark everything is handed on. */
export class OutputFeed {
	readonly stream: ReadableStream<Uint8Array>;
	/** The mark has come: what a program itself wrote is complete. */
	isMarked = false;
	/** How often something came after the mark. */
	partsAfterMark = 0;
	readonly #mark: Buffer | undefined;
	/** The end of what came, which may be the beginning of the mark. */
	#held: Buffer = Buffer.alloc(0);
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#wake: (() => void) | undefined;

	constructor(mark: string | undefined) {
		this.#mark = mark === undefined ? undefined : Buffer.from(mark);
		const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
			this.#controller = controller;
		};
		const cancel = () => this.#leave();
		this.stream = new ReadableStream(
			{ start, pull: () => this.#wake?.(), cancel },
			{ highWaterMark: highWaterBytes, size: (chunk) => chunk?.length ?? 0 },
		);
	}

	push(part: Uint8Array): void {
		if (this.isMarked) this.partsAfterMark++;
		if (this.#mark === undefined || this.isMarked) {
			this.#deliver(part);
			return;
		}
		const said = Buffer.concat([this.#held, part]);
		const at = said.indexOf(this.#mark);
		if (at !== -1) {
			this.isMarked = true;
			this.#held = Buffer.alloc(0);
			this.#deliver(said.subarray(0, at));
			this.#deliver(said.subarray(at + this.#mark.length));
			return;
		}
		const held = heldBytes(said, this.#mark);
		this.#held = said.subarray(said.length - held);
		this.#deliver(said.subarray(0, said.length - held));
	}

	/** Settles when what was pushed has been read, or nobody wants it. */
	async hasRoom(): Promise<void> {
		while (this.#controller !== undefined && (this.#controller.desiredSize ?? 0) <= 0) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	close(): void {
		this.#deliver(this.#held);
		this.#held = Buffer.alloc(0);
		this.#controller?.close();
		this.#leave();
	}

	fail(cause: unknown): void {
		this.#controller?.error(cause);
		this.#leave();
	}

	#deliver(bytes: Uint8Array): void {
		if (bytes.length > 0) this.#controller?.enqueue(bytes);
	}

	#leave(): void {
		this.#controller = undefined;
		this.#wake?.();
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
