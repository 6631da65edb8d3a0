/** Frames between a script and us: four bytes with the length, most significant first, then JSON as UTF-8. */

/** `text` with its length before it. */
export function frameOf(text: string): Uint8Array {
	const length = Buffer.byteLength(text);
	const frame = Buffer.allocUnsafe(length + 4);
	frame.writeUInt32BE(length);
	frame.write(text, 4, "utf8");
	return frame;
}

/** A frame that is longer than allowed: whoever sends it is not one of our stubs. */
export class FrameTooLong extends Error {
	override readonly name = "FrameTooLong";
}

/** Takes bytes as they come and gives the texts of whole frames. */
export class FrameReader {
	/** Longest text in bytes; may be changed between frames. */
	limit: number;
	#parts: Uint8Array[] = [];
	#total = 0;
	#wanted = 4;

	constructor(limit: number) {
		this.limit = limit;
	}

	push(bytes: Uint8Array): void {
		this.#parts.push(bytes);
		this.#total += bytes.length;
	}

	/** The next text; undefined until it is complete. @throws {FrameTooLong} As soon as its length is known. */
	next(): string | undefined {
		if (this.#total < this.#wanted) return undefined;
		const bytes = this.#whole();
		const length = bytes.readUInt32BE(0);
		if (length > this.limit)
			throw new FrameTooLong(`Cannot take a frame of ${length} bytes: ${this.limit} are allowed`);
		this.#wanted = length + 4;
		const isWhole = bytes.length >= this.#wanted;
		const rest = isWhole ? bytes.subarray(this.#wanted) : bytes;
		this.#parts = [rest];
		this.#total = rest.length;
		if (!isWhole) return undefined;
		const text = bytes.toString("utf8", 4, this.#wanted);
		this.#wanted = 4;
		return text;
	}
	#whole(): Buffer {
		const [first] = this.#parts;
		if (first === undefined || this.#parts.length > 1) return Buffer.concat(this.#parts);
		return Buffer.from(first.buffer, first.byteOffset, first.length);
	}
}
