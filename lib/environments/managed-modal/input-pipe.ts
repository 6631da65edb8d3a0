/** An input that stays open: what is written is brought to the sandbox in pieces, where somebody hands it on to the program. */

import { bringPiece, type GreetedPlace, type Program, pieceBytes } from "./program.ts";

/** Small writes that follow each other this closely travel together. */
const gatherMs = 15;

/** The input of a program. It takes no more when the program has ended; closing it is the end of the input. */
export function pipeInto(place: GreetedPlace, program: Program, exited: Promise<number>): WritableStream<Uint8Array> {
	return new WritableStream<Uint8Array>(new InputPipe(place, program, exited));
}

class InputPipe {
	readonly #place: GreetedPlace;
	readonly #program: Program;
	readonly #ended = new AbortController();
	#gathered: Uint8Array[] = [];
	#bytes = 0;
	#pieces = 0;
	/** Pieces are brought one after the other. */
	#bringing: Promise<void> = Promise.resolve();
	#timer: Timer | undefined;

	constructor(place: GreetedPlace, program: Program, exited: Promise<number>) {
		this.#place = place;
		this.#program = program;
		const end = () => this.#ended.abort(new Error("Cannot write to a program: it has ended"));
		exited.then(end, end);
	}

	async write(chunk: Uint8Array): Promise<void> {
		this.#ended.signal.throwIfAborted();
		this.#gathered.push(chunk);
		this.#bytes += chunk.length;
		clearTimeout(this.#timer);
		if (this.#bytes >= pieceBytes) await this.#flush();
		else this.#timer = setTimeout(() => void this.#flush().catch(() => undefined), gatherMs);
	}

	async close(): Promise<void> {
		clearTimeout(this.#timer);
		// A program that has ended needs no end of its input.
		if (this.#ended.signal.aborted) return;
		await this.#flush();
		await this.#bring("end", new Uint8Array());
	}

	abort(): Promise<void> {
		return this.close();
	}

	#flush(): Promise<void> {
		const whole = Buffer.concat(this.#gathered);
		this.#gathered = [];
		this.#bytes = 0;
		const flush = async () => {
			for (let at = 0; at < whole.length; at += pieceBytes) {
				await this.#bring(String(this.#pieces++), whole.subarray(at, at + pieceBytes));
			}
		};
		this.#bringing = this.#bringing.then(flush);
		this.#bringing.catch(() => undefined);
		return this.#bringing;
	}

	async #bring(name: string, content: Uint8Array): Promise<void> {
		const { mark, folder } = this.#program;
		const piece = { mark, file: `${folder}/i.${name}`, content, makes: "", signal: this.#ended.signal };
		if ((await bringPiece(this.#place, piece)) === "gone") throw new Error("Cannot write to a program: it has ended");
	}
}
