/** Connections to sockets inside the sandbox, carried by the relay. */

import type { SandboxConnection } from "../sandbox-helper.ts";
import type { RelayClient } from "./client.ts";
import { type Exchange, RelayRefused, readRefusal } from "./exchange.ts";
import { type Frame, fromRelay, mostConnections, ProtocolBroken, part, toRelay } from "./frames.ts";
import { Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";

/** All that is open through one relay. */
export class Connections {
	#open = 0;

	/** Listens on `path`; each connection is handed to `onConnection`. @throws {RelayRefused} */
	async listen(
		client: RelayClient,
		path: string,
		onConnection: (connection: SandboxConnection) => void,
	): Promise<AsyncDisposable> {
		const listener = new Listener(onConnection);
		const number = client.begin(listener);
		client.send(toRelay.listen, number, Buffer.from(path));
		await listener.listening;
		return {
			async [Symbol.asyncDispose]() {
				client.send(toRelay.close, number);
				await listener.closed;
			},
		};
	}

	/** The exchange of a new connection. @throws {ProtocolBroken} When nobody listens, or there are too many. */
	accept(client: RelayClient, number: number, listener: Exchange): Exchange {
		if (!(listener instanceof Listener))
			throw new ProtocolBroken(`Cannot take the connection ${number}: nobody listens`);
		if (this.#open >= mostConnections) throw new ProtocolBroken(`Cannot take the connection ${number}: too many`);
		this.#open++;
		const connection = new Connection(client, number, () => this.#open--);
		listener.onConnection(connection);
		return connection;
	}
}

class Listener implements Exchange {
	readonly onConnection: (connection: SandboxConnection) => void;
	readonly #listening = Promise.withResolvers<void>();
	readonly #closed = Promise.withResolvers<void>();
	#isListening = false;

	constructor(onConnection: (connection: SandboxConnection) => void) {
		this.onConnection = onConnection;
	}

	get isAwaited(): boolean {
		return !this.#isListening;
	}

	get listening(): Promise<void> {
		return this.#listening.promise;
	}

	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	frame({ kind, body }: Frame): boolean {
		if (kind === fromRelay.done && !this.#isListening) {
			this.#isListening = true;
			this.#listening.resolve();
			return false;
		}
		if (kind === fromRelay.failed && !this.#isListening) {
			this.#listening.reject(new RelayRefused(readRefusal(body)));
			return true;
		}
		if (kind !== fromRelay.closed) throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a socket`);
		this.#closed.resolve();
		return true;
	}

	lost(cause: Error): void {
		this.#listening.reject(cause);
		this.#closed.resolve();
	}
}

class Connection implements Exchange, SandboxConnection {
	readonly isAwaited = false;
	readonly #client: RelayClient;
	readonly #number: number;
	readonly #onClosed: () => void;
	readonly #inbound: Inbound;
	readonly #outbound: Outbound;

	constructor(client: RelayClient, number: number, onClosed: () => void) {
		this.#client = client;
		this.#number = number;
		this.#onClosed = onClosed;
		this.#inbound = new Inbound((bytes) =>
			client.send(toRelay.window, number, Buffer.concat([part.byte(fromRelay.output), part.number(bytes)])),
		);
		this.#outbound = new Outbound({
			send: (bytes) => client.send(toRelay.data, number, bytes),
			end: () => client.send(toRelay.dataEnd, number),
		});
	}

	get readable(): ReadableStream<Uint8Array> {
		return this.#inbound.stream;
	}

	get writable(): WritableStream<Uint8Array> {
		return this.#outbound.stream;
	}

	close(): void {
		this.#client.send(toRelay.close, this.#number);
	}

	frame({ kind, body }: Frame): boolean {
		switch (kind) {
			case fromRelay.output:
				this.#inbound.push(body);
				return false;
			case fromRelay.outputEnd:
				this.#inbound.end();
				return false;
			case fromRelay.credit:
				this.#outbound.credit(body.readUInt32BE(0));
				return false;
			case fromRelay.inputClosed:
				this.#outbound.closed();
				return false;
			case fromRelay.closed:
				this.#end();
				return true;
			default:
				throw new ProtocolBroken(`Cannot take a frame of kind ${kind} for a connection`);
		}
	}

	lost(): void {
		this.#end();
	}

	#end(): void {
		this.#onClosed();
		this.#inbound.cut();
		this.#outbound.closed();
	}
}
