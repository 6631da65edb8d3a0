/** This side of a relay: gives numbers to exchanges, hands each frame to its own, and tells all when the relay is gone. */

import { ProcessLost } from "../backend.ts";
import { type Exchange, Question } from "./exchange.ts";
import {
	encodeFrame,
	type Frame,
	firstConnection,
	fromRelay,
	ProtocolBroken,
	protocolVersion,
	toRelay,
} from "./frames.ts";
import { openWire, type Wire, type WireEnds } from "./wire.ts";

/** What a relay says of itself when it starts. */
export interface Hello {
	readonly pid: number;
	readonly uid: number;
	/** Bits of `capability`. */
	readonly capabilities: number;
	/** How many processes there may be in the sandbox; -1 when nobody counts them. */
	readonly processLimit: number;
	/** `linux`, `darwin`. */
	readonly platform: string;
	readonly python: string;
}

/** What happens around a client. */
export interface ClientOptions {
	/**
	 * The relay is gone, `reason` says why. Ends what it leaves; when that has settled, all exchanges are told. Its failure
	 * becomes theirs.
	 */
	onLost(reason: string): Promise<void>;
	/** The relay opened a connection under `number` for the exchange `listener`. @throws {ProtocolBroken} */
	onConnection?(number: number, listener: Exchange): Exchange;
}

/** While an answer is due, nothing at all may come for this long before the relay is asked, and as long again after. */
const silenceMs = 15_000;

/** A connected relay. */
export class RelayClient {
	readonly #options: ClientOptions;
	readonly #wire: Wire;
	readonly #exchanges = new Map<number, Exchange>();
	readonly #hello = Promise.withResolvers<Hello>();
	#isGreeted = false;
	#lastNumber = 0;
	#lost: { readonly reason: string; readonly settled: Promise<void> } | undefined;
	#lastFrameAt = performance.now();
	#isAsked = false;
	#patrol: Timer | undefined;

	constructor(ends: WireEnds, options: ClientOptions) {
		this.#options = options;
		this.#hello.promise.catch(() => undefined);
		this.#wire = openWire(ends, {
			frame: (frame) => this.#take(frame),
			ended: (cause) => this.#lose(cause instanceof Error ? cause.message : String(cause)),
		});
	}

	/** Rejects when the relay ends before it has said it. */
	get hello(): Promise<Hello> {
		return this.#hello.promise;
	}

	get isLost(): boolean {
		return this.#lost !== undefined;
	}

	/** Settles when what a lost relay left is ended. */
	get lostSettled(): Promise<void> {
		return this.#lost?.settled ?? Promise.resolve();
	}

	get exchanges(): Iterable<Exchange> {
		return this.#exchanges.values();
	}

	/** Begins an exchange and gives its number. @throws {ProcessLost} When the relay is gone. */
	begin(exchange: Exchange): number {
		if (this.#lost !== undefined) throw new ProcessLost(`Cannot ask the relay: ${this.#lost.reason}`);
		do this.#lastNumber = (this.#lastNumber % (firstConnection - 1)) + 1;
		while (this.#exchanges.has(this.#lastNumber));
		this.#exchanges.set(this.#lastNumber, exchange);
		this.#watch();
		return this.#lastNumber;
	}

	/** Says something in an exchange. */
	send(kind: number, number: number, body?: Uint8Array): void {
		this.#wire.send(encodeFrame(kind, number, body));
	}

	/** Asks for one answer. @throws {RelayRefused} @throws {ProcessLost} */
	ask(kind: number, body?: Uint8Array): Promise<Buffer> {
		const question = new Question();
		const number = this.begin(question);
		this.send(kind, number, body);
		return question.answer;
	}

	/** Lets the relay go; it ends what it started. */
	async close(): Promise<void> {
		this.#lose("it was closed");
		await this.lostSettled;
	}

	#take({ kind, number, body }: Frame): void {
		this.#lastFrameAt = performance.now();
		this.#isAsked = false;
		try {
			if (!this.#isGreeted) this.#greet(kind, body);
			else this.#deliver({ kind, number, body });
		} catch (cause) {
			if (!(cause instanceof ProtocolBroken)) throw cause;
			this.#lose(cause.message);
		}
	}

	#greet(kind: number, body: Buffer): void {
		if (kind !== fromRelay.hello || body.readUInt16BE(0) !== protocolVersion) {
			throw new ProtocolBroken(`Cannot use the relay: it does not speak version ${protocolVersion}`);
		}
		const [platform = "", python = ""] = body.toString("latin1", 18).split("\0");
		this.#isGreeted = true;
		this.#hello.resolve({
			pid: body.readUInt32BE(2),
			uid: body.readUInt32BE(6),
			capabilities: body.readUInt32BE(10),
			processLimit: body.readInt32BE(14),
			platform,
			python,
		});
	}

	#deliver(frame: Frame): void {
		if (frame.kind === fromRelay.open) {
			this.#connect(frame);
			return;
		}
		const exchange = this.#exchanges.get(frame.number);
		if (exchange === undefined) {
			throw new ProtocolBroken(`Cannot take a frame of kind ${frame.kind}: nothing has the number ${frame.number}`);
		}
		if (exchange.frame(frame)) this.#exchanges.delete(frame.number);
	}

	#connect({ number, body }: Frame): void {
		const listener = this.#exchanges.get(body.readUInt32BE(0));
		const { onConnection } = this.#options;
		if (
			listener === undefined ||
			onConnection === undefined ||
			number < firstConnection ||
			this.#exchanges.has(number)
		) {
			throw new ProtocolBroken(`Cannot take the connection ${number}: nobody listens`);
		}
		this.#exchanges.set(number, onConnection(number, listener));
	}

	#watch(): void {
		this.#patrol ??= setInterval(() => this.#look(), silenceMs).unref();
	}

	#look(): void {
		const isAwaited = [...this.#exchanges.values()].some((exchange) => exchange.isAwaited);
		if (!isAwaited) {
			clearInterval(this.#patrol);
			this.#patrol = undefined;
			this.#isAsked = false;
			return;
		}
		if (performance.now() - this.#lastFrameAt < silenceMs) return;
		if (this.#isAsked) {
			this.#lose("it does not answer");
			return;
		}
		this.#isAsked = true;
		// Its answer counts by coming at all.
		this.ask(toRelay.ping).catch(() => undefined);
	}

	#lose(reason: string): void {
		if (this.#lost !== undefined) return;
		clearInterval(this.#patrol);
		const settled = Promise.withResolvers<void>();
		this.#lost = { reason, settled: settled.promise };
		this.#hello.reject(new Error(reason));
		void this.#wire.close();
		const tell = (cause: Error) => {
			for (const exchange of this.#exchanges.values()) exchange.lost(cause);
			this.#exchanges.clear();
			settled.resolve();
		};
		this.#options.onLost(reason).then(
			() => tell(new ProcessLost(`relay lost: ${reason}`)),
			(cause) => tell(cause instanceof Error ? cause : new ProcessLost(`relay lost: ${reason}`, { cause })),
		);
	}
}
