/** Keeps the beginning and the end of a byte stream of any length in bounded memory. */

/** What was kept. `head` and `tail` are adjacent when nothing was omitted. */
export interface KeptEnds {
	readonly head: Uint8Array;
	readonly tail: Uint8Array;
	readonly omittedBytes: number;
}

/** The share of the limit that goes to the beginning; the end says more about how a command went. */
const headShare = 0.4;

/** Takes chunks and keeps `limit` bytes of them: 40 % from the start, the rest from the end. Chunks are copied. */
export class KeepEnds {
	readonly #headLimit: number;
	readonly #tailLimit: number;
	#head = new Uint8Array(0);
	#headLength = 0;
	/** A ring once it is full: the oldest byte is at `#tailStart`. */
	#tail = new Uint8Array(0);
	#tailStart = 0;
	#tailLength = 0;
	#omitted = 0;

	constructor(limit: number) {
		this.#headLimit = Math.floor(limit * headShare);
		this.#tailLimit = limit - this.#headLimit;
	}

	/** Takes the next bytes. */
	push(chunk: Uint8Array): void {
		const toHead = Math.min(chunk.length, this.#headLimit - this.#headLength);
		if (toHead > 0) {
			this.#head = withRoom(this.#head, this.#headLength + toHead, this.#headLimit);
			this.#head.set(chunk.subarray(0, toHead), this.#headLength);
			this.#headLength += toHead;
		}
		if (toHead < chunk.length) this.#pushTail(chunk.subarray(toHead));
	}

	/** What is kept so far. */
	kept(): KeptEnds {
		const size = this.#tail.length;
		const first = Math.min(this.#tailLength, size - this.#tailStart);
		const tail = new Uint8Array(this.#tailLength);
		tail.set(this.#tail.subarray(this.#tailStart, this.#tailStart + first));
		tail.set(this.#tail.subarray(0, this.#tailLength - first), first);
		return { head: this.#head.subarray(0, this.#headLength), tail, omittedBytes: this.#omitted };
	}

	#pushTail(chunk: Uint8Array): void {
		const bytes = chunk.subarray(Math.max(0, chunk.length - this.#tailLimit));
		this.#omitted += chunk.length - bytes.length;
		const total = this.#tailLength + bytes.length;
		// The ring begins at 0 until it has reached its full size, so that growing is a plain copy.
		this.#tail = withRoom(this.#tail, Math.min(total, this.#tailLimit), this.#tailLimit);
		const size = this.#tail.length;
		if (size === 0) return;
		const at = (this.#tailStart + this.#tailLength) % size;
		const first = Math.min(bytes.length, size - at);
		this.#tail.set(bytes.subarray(0, first), at);
		this.#tail.set(bytes.subarray(first), 0);
		const over = Math.max(0, total - size);
		this.#omitted += over;
		this.#tailStart = (this.#tailStart + over) % size;
		this.#tailLength = total - over;
	}
}

function withRoom(bytes: Uint8Array<ArrayBuffer>, needed: number, limit: number): Uint8Array<ArrayBuffer> {
	if (needed <= bytes.length) return bytes;
	const grown = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2, 4096)));
	grown.set(bytes);
	return grown;
}
