/** Brings the input of a process that comes bit by bit there, through a terminal of its own: one that waits holds up no output. */

import { quoteWord } from "../../../base/shell-quoting.ts";
import { ChunkReader } from "./chunks.ts";
import { inStream } from "./launch-script.ts";
import type { ExecPlace } from "./place.ts";
import { Terminal } from "./terminal.ts";

/** Bytes of a piece; several are under way at once. */
const pieceBytes = 65_536;
const underWay = 4;

/**
 * The script at the other end. It reads how many bytes a piece has, the piece, and `ok`; then it passes the piece on and says how many
 * it has passed on. It says so in answer to `at QUESTION` too, with the question. Empty lines mean nothing: a piece that came in part is
 * filled up with them, and is not `ok`. `end` ends the input.
 */
function feederScript(mark: string, path: string): string {
	return `exec 2>/dev/null
__hermes_count=0
__hermes_say() { printf '\\036%s h %s 0\\n' ${mark} "$__hermes_count"; }
__hermes_answer() { printf '\\036%s x %s %s\\n%s' ${mark} "$__hermes_count" "\${#1}" "$1"; }
__hermes_word() { while IFS= read -r __hermes_word; do [ -z "$__hermes_word" ] || return 0; done; exit 1; }
__hermes_say
exec 4>${quoteWord(path)}
while __hermes_word; do
	case $__hermes_word in
	end) break ;;
	"at "*) __hermes_answer "\${__hermes_word#at }" ;;
	*)
		dd bs="$__hermes_word" count=1 iflag=fullblock >${quoteWord(`${path}-piece`)}
		__hermes_word
		case $__hermes_word in
		ok)
			cat ${quoteWord(`${path}-piece`)} >&4 || break
			__hermes_count=$((__hermes_count + 1))
			__hermes_say
			;;
		"at "*) __hermes_answer "\${__hermes_word#at }" ;;
		esac
		;;
	esac
done`;
}

/** The input of one process. */
export class Feeder {
	readonly #mark = `hermes-${crypto.randomUUID()}`;
	readonly #terminal: Terminal;
	readonly #hello = Promise.withResolvers<void>();
	/** Pieces that have not been passed on, the oldest first. */
	readonly #pieces: Uint8Array[] = [];
	/** How many were passed on. */
	#count = 0;
	#isOver = false;
	/** Grows with every question. */
	#questions = 0;
	/** Nothing is sent until it is known what arrived. */
	#isAsking = false;
	#wake: (() => void) | undefined;

	constructor(place: ExecPlace) {
		this.#hello.promise.catch(() => undefined);
		this.#terminal = new Terminal(place, {
			reader: () => this.#reader(),
			onReconnect: () => this.#askAgain(),
			// A process that ended has no use for input; that a connection is lost is told by its output.
			onLost: (cause) => this.#leave(cause),
		});
	}

	/** Where what is written comes out: a pipe of this path. @throws {NotStarted} */
	async open(path: string, signal: AbortSignal): Promise<void> {
		await this.#terminal.open(`${this.#mark}r`, feederScript(`${this.#mark}p`, path), signal);
		await this.#hello.promise;
		this.#terminal.keep();
	}

	/** Takes the input. */
	stream(): WritableStream<Uint8Array> {
		return new WritableStream<Uint8Array>({
			write: (bytes) => this.#write(bytes),
			close: () => this.#end(),
			abort: () => this.#end(),
		});
	}

	/** Lets go of it: nobody reads the input any more. */
	close(): void {
		this.#leave();
		void this.#terminal.end();
	}

	async #write(bytes: Uint8Array): Promise<void> {
		for (let at = 0; at < bytes.length && !this.#isOver; at += pieceBytes) {
			const piece = bytes.slice(at, at + pieceBytes);
			this.#pieces.push(piece);
			if (!this.#isAsking) this.#send(piece);
			await this.#until(() => this.#pieces.length < underWay);
		}
	}

	async #end(): Promise<void> {
		await this.#until(() => this.#pieces.length === 0);
		if (!this.#isOver) this.#terminal.send("end\n");
		this.#leave();
	}

	#send(piece: Uint8Array): void {
		this.#terminal.send(Buffer.concat([Buffer.from(`${piece.length}\n`), piece, Buffer.from("ok\n")]));
	}

	#reader(): (data: Uint8Array) => void {
		const reader = new ChunkReader(inStream(`${this.#mark}p`));
		return (data) => {
			for (const { kind, number, bytes } of reader.push(data)) {
				this.#passedOn(number);
				if (kind === "last" && Number(bytes) === this.#questions) this.#sendAgain();
			}
		};
	}

	#passedOn(count: number): void {
		this.#hello.resolve();
		this.#pieces.splice(0, Math.max(0, count - this.#count));
		this.#count = Math.max(count, this.#count);
		this.#wake?.();
	}

	/** Whatever it was in the middle of is over after so many empty lines. */
	#askAgain(): void {
		this.#terminal.send(Buffer.alloc(pieceBytes + 16, "\n"));
		this.#isAsking = true;
		this.#terminal.send(`at ${++this.#questions}\n`);
	}

	#sendAgain(): void {
		this.#isAsking = false;
		for (const piece of this.#pieces) this.#send(piece);
	}

	async #until(isTrue: () => boolean): Promise<void> {
		while (!this.#isOver && !isTrue()) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	#leave(cause?: Error): void {
		if (cause !== undefined) this.#hello.reject(cause);
		this.#isOver = true;
		this.#wake?.();
	}
}
