/** A stream of bytes to the relay, which takes no more than it has room for. */

import { inputChunkBytes, ProtocolBroken, windowBytes } from "./frames.ts";

/** What is done with the bytes. */
export interface OutboundSink {
	send(bytes: Uint8Array): void;
	end(): void;
}

/** The host's end of one stream. */
export class Outbound {
	readonly stream: WritableStream<Uint8Array>;
	readonly #sink: OutboundSink;
	#room = windowBytes;
	#isClosed = false;
	#onRoom: (() => void) | undefined;

	constructor(sink: OutboundSink) {
		this.#sink = sink;
		const end = () => this.finish();
		this.stream = new WritableStream<Uint8Array>({ write: (chunk) => this.write(chunk), close: end, abort: end });
	}

	/** Resolves when all is sent, or nobody reads it any more: a process may end without reading its input. */
	async write(bytes: Uint8Array): Promise<void> {
		for (let at = 0; at < bytes.length && !this.#isClosed; ) {
			if (this.#room === 0) await this.#untilRoom();
			if (this.#isClosed) return;
			const chunk = bytes.subarray(at, at + Math.min(this.#room, inputChunkBytes));
			this.#room -= chunk.length;
			at += chunk.length;
			this.#sink.send(chunk);
		}
	}

	/** Sends everything and the end. */
	async writeAll(bytes: Uint8Array): Promise<void> {
		await this.write(bytes);
		this.finish();
	}

	/** Nothing more comes. */
	finish(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#sink.end();
	}

	/** The relay has room for this much more. @throws {ProtocolBroken} When that is more than was taken. */
	credit(bytes: number): void {
		this.#room += bytes;
		if (this.#room > windowBytes) throw new ProtocolBroken("Cannot send input: more was taken than was sent");
		this.#wake();
	}

	/** Nobody reads it any more. */
	closed(): void {
		this.#isClosed = true;
		this.#wake();
	}

	#untilRoom(): Promise<void> {
		return new Promise((resolve) => {
			this.#onRoom = resolve;
		});
	}

	#wake(): void {
		this.#onRoom?.();
		this.#onRoom = undefined;
	}
}
