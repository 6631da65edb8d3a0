/** Reads what the script around a session's shell says about it. */

import { type CapturedState, readCapture } from "./session-state.ts";

/** How the start went. */
export type Landing = { readonly is: "at" | "above"; readonly folder: string } | { readonly is: "missing" | "lost" };

/** How it ended. */
export interface Finished {
	readonly exitCode: number;
	readonly captured: CapturedState | undefined;
}

/** The parts of a report, as they come. */
export interface Report {
	/** Undefined when the stream ends before the mark. */
	readonly landing: Promise<Landing | undefined>;
	/** Undefined when the stream ends before the end was told. */
	readonly finished: Promise<Finished | undefined>;
	/** What came before the mark: complaints of whoever should have run the script. */
	complaint(): string;
}

/** Kept of complaints. */
const complaintBytes = 2_000;

/** Reads `stream` to its end. `mark` is said by nobody else. */
export function readReport(stream: ReadableStream<Uint8Array>, mark: string): Report {
	const landing = Promise.withResolvers<Landing | undefined>();
	const finished = Promise.withResolvers<Finished | undefined>();
	let before: Uint8Array = new Uint8Array();
	const read = async () => {
		const parser = new Parser(mark, landing.resolve, finished.resolve);
		for await (const chunk of stream) {
			parser.push(chunk);
			before = parser.before.subarray(0, complaintBytes);
		}
	};
	// A stream that breaks has said what it had to say; whether the command goes on is told by its exit.
	read()
		.catch(() => undefined)
		.finally(() => {
			landing.resolve(undefined);
			finished.resolve(undefined);
		});
	return {
		landing: landing.promise,
		finished: finished.promise,
		complaint: () => Buffer.from(before).toString("utf8").trim(),
	};
}

class Parser {
	readonly #mark: Buffer;
	readonly #onLanding: (landing: Landing) => void;
	readonly #onFinished: (finished: Finished) => void;
	readonly #chunks: Uint8Array[] = [];
	#hasLanded = false;
	#isDone = false;

	constructor(mark: string, onLanding: (landing: Landing) => void, onFinished: (finished: Finished) => void) {
		this.#mark = Buffer.from(mark);
		this.#onLanding = onLanding;
		this.#onFinished = onFinished;
	}

	/** What came before the mark. */
	get before(): Buffer {
		return this.#hasLanded ? Buffer.alloc(0) : Buffer.concat(this.#chunks);
	}

	push(chunk: Uint8Array): void {
		if (this.#isDone) return;
		this.#chunks.push(chunk);
		// Everything of ours is ended by NUL: state of megabytes is put together only once.
		if (chunk.at(-1) !== 0) return;
		const said = Buffer.concat(this.#chunks);
		const rest = this.#hasLanded ? said : this.#land(said);
		this.#chunks.splice(0, Number.POSITIVE_INFINITY, rest);
		if (this.#hasLanded) this.#finish(rest);
	}

	/** The bytes behind the landing. */
	#land(said: Buffer): Buffer {
		const at = said.indexOf(this.#mark);
		const end = at === -1 ? -1 : said.indexOf(0, at);
		if (end === -1) return said;
		this.#hasLanded = true;
		const [, is = "", folder = ""] =
			/^ (\w+)(?: (.*))?$/s.exec(said.toString("utf8", at + this.#mark.length, end)) ?? [];
		if (is === "at" || is === "above") this.#onLanding({ is, folder });
		if (is === "missing" || is === "lost") this.#onLanding({ is });
		return said.subarray(end + 1);
	}

	/** What the shell left, without what its parent said before. */
	#captured(said: Buffer): CapturedState | undefined {
		const sign = Buffer.concat([this.#mark, Buffer.from(" left\0")]);
		const at = said.indexOf(sign);
		return at === -1 ? undefined : readCapture(said.subarray(at + sign.length));
	}

	#finish(rest: Buffer): void {
		const at = rest.lastIndexOf(this.#mark);
		if (at === -1) return;
		const code = /^ done (\d+)\0$/.exec(rest.toString("latin1", at + this.#mark.length))?.[1];
		if (code === undefined) return;
		this.#isDone = true;
		this.#onFinished({ exitCode: Number(code), captured: this.#captured(rest.subarray(0, at)) });
	}
}
