/** A stream of bytes from the relay, with a bound on what is kept for a reader who is slow. */

import { ProtocolBroken, windowBytes } from "./frames.ts";

/** Room is given back when this much was read. */
const creditStepBytes = windowBytes / 4;

/** Small pieces are put together in blocks of this size, so that a million pieces of one byte cost what they are worth. */
const blockBytes = 1 << 16;

/** The host's end of one stream. */
export class Inbound {
	readonly stream: ReadableStream<Uint8Array>;
	readonly #giveRoom: (bytes: number) => void;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#blocks: Block[] = [];
	#isWanted = false;
	#isEnded = false;
	#room = windowBytes;
	#read = 0;

	/** `giveRoom` tells the relay that it may send that much more. */
	constructor(giveRoom: (bytes: number) => void) {
		this.#giveRoom = giveRoom;
		this.stream = new ReadableStream<Uint8Array>(
			{
				start: (controller) => {
					this.#controller = controller;
				},
				pull: () => this.#pull(),
				cancel: () => this.#cancel(),
			},
			{ highWaterMark: 0 },
		);
	}

	get isEnded(): boolean {
		return this.#isEnded;
	}

	/** @throws {ProtocolBroken} When it is more than there was room for, or comes after the end. */
	push(bytes: Buffer): void {
		if (this.#isEnded) throw new ProtocolBroken("Cannot take output: it comes after its end");
		this.#room -= bytes.length;
		if (this.#room < 0) throw new ProtocolBroken("Cannot take output: it is more than was asked for");
		if (this.#controller === undefined) this.#consumed(bytes.length);
		else if (this.#isWanted) this.#hand(bytes);
		else this.#keep(bytes);
	}

	/** @throws {ProtocolBroken} When it has ended before. */
	end(): void {
		if (this.#isEnded) throw new ProtocolBroken("Cannot end an output: it has ended");
		this.#isEnded = true;
		if (this.#blocks.length === 0) this.#close();
	}

	/** The relay is gone: what has come can still be read, then the stream ends. */
	cut(): void {
		if (!this.#isEnded) this.end();
	}

	/** It cannot be whole any more; its reader is told. */
	fail(cause: Error): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		this.#blocks = [];
		this.#controller?.error(cause);
		this.#controller = undefined;
	}

	#pull(): void {
		const block = this.#blocks.shift();
		if (block === undefined) {
			this.#isWanted = true;
			return;
		}
		this.#hand(block.bytes.subarray(0, block.length));
		if (this.#isEnded && this.#blocks.length === 0) this.#close();
	}

	#hand(bytes: Uint8Array): void {
		this.#isWanted = false;
		this.#controller?.enqueue(bytes);
		this.#consumed(bytes.length);
	}

	#keep(bytes: Buffer): void {
		for (let at = 0; at < bytes.length; ) {
			const last = this.#blocks.at(-1);
			const block = last !== undefined && last.length < last.bytes.length ? last : this.#newBlock();
			const taken = bytes.copy(block.bytes, block.length, at);
			block.length += taken;
			at += taken;
		}
	}

	#newBlock(): Block {
		const block = { bytes: Buffer.allocUnsafe(blockBytes), length: 0 };
		this.#blocks.push(block);
		return block;
	}

	#consumed(count: number): void {
		this.#read += count;
		if (this.#read < creditStepBytes || this.#isEnded) return;
		this.#room += this.#read;
		this.#giveRoom(this.#read);
		this.#read = 0;
	}

	#cancel(): void {
		const kept = this.#blocks.reduce((sum, block) => sum + block.length, 0);
		this.#controller = undefined;
		this.#blocks = [];
		this.#consumed(kept);
	}

	#close(): void {
		this.#controller?.close();
		this.#controller = undefined;
	}
}

interface Block {
	readonly bytes: Buffer;
	length: number;
}
