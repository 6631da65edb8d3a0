/** The exchanges of reading and writing one file. */

import type { RelayClient } from "./client.ts";
import { type Exchange, RelayRefused, readRefusal } from "./exchange.ts";
import { type Frame, fromRelay, ProtocolBroken, part, toRelay } from "./frames.ts";
import { Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";

/** A file or a listing on its way here: an answer, then bytes. */
export class FileRead implements Exchange {
	readonly number: number;
	readonly #begun = Promise.withResolvers<Buffer>();
	readonly #content: Inbound;
	#hasBegun = false;

	constructor(client: RelayClient) {
		this.number = client.begin(this);
		this.#content = new Inbound((bytes) =>
			client.send(toRelay.window, this.number, Buffer.concat([part.byte(fromRelay.output), part.number(bytes)])),
		);
	}

	get isAwaited(): boolean {
		return !this.#hasBegun;
	}

	/** @throws {RelayRefused} */
	get begun(): Promise<Buffer> {
		return this.#begun.promise;
	}

	get content(): ReadableStream<Uint8Array> {
		return this.#content.stream;
	}

	frame({ kind, body }: Frame): boolean {
		if (kind === fromRelay.failed) {
			const cause = new RelayRefused(readRefusal(body));
			this.#begun.reject(cause);
			this.#content.fail(cause);
			return true;
		}
		if (!this.#hasBegun && kind === fromRelay.done) {
			this.#hasBegun = true;
			this.#begun.resolve(body);
			return false;
		}
		if (!this.#hasBegun) throw new ProtocolBroken(`Cannot take a frame of kind ${kind} as the beginning of a file`);
		if (kind === fromRelay.output) {
			this.#content.push(body);
			return false;
		}
		if (kind !== fromRelay.outputEnd) throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a file`);
		this.#content.end();
		return true;
	}

	lost(cause: Error): void {
		this.#begun.reject(cause);
		this.#content.fail(cause);
	}
}

/** A file on its way there: bytes, then an answer. */
export class FileWrite implements Exchange {
	readonly isAwaited = true;
	readonly number: number;
	readonly input: Outbound;
	readonly #done = Promise.withResolvers<Buffer>();

	constructor(client: RelayClient) {
		this.number = client.begin(this);
		this.input = new Outbound({
			send: (bytes) => client.send(toRelay.data, this.number, bytes),
			end: () => client.send(toRelay.dataEnd, this.number),
		});
	}

	/** @throws {RelayRefused} */
	get done(): Promise<Buffer> {
		return this.#done.promise;
	}

	frame({ kind, body }: Frame): boolean {
		if (kind === fromRelay.credit) {
			this.input.credit(body.readUInt32BE(0));
			return false;
		}
		this.input.closed();
		if (kind === fromRelay.done) this.#done.resolve(body);
		else if (kind === fromRelay.failed) this.#done.reject(new RelayRefused(readRefusal(body)));
		else throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a file that is written`);
		return true;
	}

	lost(cause: Error): void {
		this.input.closed();
		this.#done.reject(cause);
	}
}
