/** The contract of an exchange: everything that is said under one number, from the request to the last answer. */

import { type Frame, failure, fromRelay, ProtocolBroken } from "./frames.ts";

/** One exchange. A frame that does not belong there makes it throw ProtocolBroken. */
export interface Exchange {
	/** Whether an answer is due now, so that silence means that the relay hangs. */
	readonly isAwaited: boolean;
	/** Takes a frame; true when it was the last of this number. */
	frame(frame: Frame): boolean;
	/** The relay is gone. */
	lost(cause: Error): void;
}

/** Why the relay refused. */
export interface Refusal {
	/** One of `failure`. */
	readonly why: number;
	/** The system's number of the error there, 0 when there is none. */
	readonly errno: number;
	readonly text: string;
}

/** An operation that the relay could not do. */
export class RelayRefused extends Error {
	override readonly name = "RelayRefused";
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super(refusal.text);
		this.refusal = refusal;
	}
}

/** The content of a `failed` frame. @throws {ProtocolBroken} */
export function readRefusal(body: Buffer): Refusal {
	const why = body.readUInt8(0);
	if (why < failure.notFound || why > failure.file) throw new ProtocolBroken(`Cannot read a failure: kind ${why}`);
	return { why, errno: body.readUInt32BE(1), text: body.toString("utf8", 5) };
}

/** An exchange of one question and one answer. */
export class Question implements Exchange {
	readonly isAwaited = true;
	readonly #answer = Promise.withResolvers<Buffer>();

	/** @throws {RelayRefused} */
	get answer(): Promise<Buffer> {
		return this.#answer.promise;
	}

	frame({ kind, body }: Frame): boolean {
		if (kind === fromRelay.done) this.#answer.resolve(body);
		else if (kind === fromRelay.failed) this.#answer.reject(new RelayRefused(readRefusal(body)));
		else throw new ProtocolBroken(`Cannot take a frame of kind ${kind} as an answer`);
		return true;
	}

	lost(cause: Error): void {
		this.#answer.reject(cause);
	}
}
