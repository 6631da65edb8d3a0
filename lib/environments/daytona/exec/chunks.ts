/** The pieces in which a sandbox sends what a process says, read from a stream that may begin anywhere. */

/**
 * `hello`: ready to start. `failed`: it cannot start, and why. `output`, `control`: a piece of either stream. `last`: both streams
 * end with what it holds of `control`.
 */
export type ChunkKind = "hello" | "failed" | "output" | "control" | "last";

/** One piece. Numbers grow by one; a piece that comes twice has the same number. */
export interface Chunk {
	readonly kind: ChunkKind;
	readonly number: number;
	readonly bytes: Buffer;
}

/** The letters that stand for kinds on the wire. */
export const letters = { h: "hello", f: "failed", o: "output", e: "control", x: "last" } as const;

/** A heading that is longer than this is none of ours. */
const longestHeading = 64;

/** Reads pieces. A piece is its mark, ` LETTER NUMBER SIZE`, a newline and SIZE bytes. */
export class ChunkReader {
	readonly #mark: Buffer;
	#parts: Buffer[] = [];
	#bytes = 0;
	/** How many bytes there must be before it is worth looking again. */
	#needed = 1;

	constructor(mark: string) {
		this.#mark = Buffer.from(mark);
	}

	/** The pieces that are whole now. */
	push(data: Uint8Array): Chunk[] {
		this.#parts.push(Buffer.from(data));
		this.#bytes += data.length;
		const chunks: Chunk[] = [];
		while (this.#bytes >= this.#needed) {
			const chunk = this.#take();
			if (chunk !== undefined) chunks.push(chunk);
		}
		return chunks;
	}

	#take(): Chunk | undefined {
		const said = Buffer.concat(this.#parts);
		const at = said.indexOf(this.#mark);
		if (at === -1) return this.#keep(said.subarray(-this.#mark.length), this.#mark.length + 1);
		const start = at + this.#mark.length;
		const newline = said.indexOf("\n", start);
		if (newline === -1) return this.#keep(said.subarray(at), said.length - at + 1);
		const heading = said.toString("latin1", start, Math.min(newline, start + longestHeading));
		const [, letter = "", number, size] = /^ ([hfoex]) (\d+) (\d+)$/.exec(heading) ?? [];
		if (!isLetter(letter)) return this.#keep(said.subarray(newline + 1), 1);
		const end = newline + 1 + Number(size);
		if (said.length < end) return this.#keep(said.subarray(at), end - at);
		this.#keep(said.subarray(end), 1);
		return { kind: letters[letter], number: Number(number), bytes: said.subarray(newline + 1, end) };
	}

	#keep(rest: Buffer, needed: number): undefined {
		this.#parts = [rest];
		this.#bytes = rest.length;
		this.#needed = needed;
	}
}

function isLetter(text: string): text is keyof typeof letters {
	return Object.hasOwn(letters, text);
}
