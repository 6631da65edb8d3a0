/** The connections of one sandbox to its host: as many as its processes need, none of them anybody else's. */

import type { Client, ClientChannel, SFTPWrapper } from "ssh2";
import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable, type StartOptions } from "../../backend.ts";
import type { Connection } from "./connect.ts";

/** A channel in use. Its place is given back when the channel closes. */
export interface OpenedChannel {
	readonly channel: ClientChannel;
	/** Exit code, or the name of the signal that ended the program; undefined when the channel closed without telling. */
	readonly exited: Promise<number | string | undefined>;
	readonly closed: Promise<void>;
	/** The connection's own end, with why. */
	readonly lost: Promise<string>;
	/** Settles when everything has arrived that the server had sent before. */
	roundTrip(): Promise<void>;
}

/** What to run, and how. */
export interface ChannelRequest {
	readonly command: string;
	readonly pty?: StartOptions["pty"];
	/** It ends another process, so it takes a place that others may not. */
	readonly isUrgent: boolean;
	readonly signal: AbortSignal;
}

/** sshd takes ten sessions a connection (MaxSessions); two are kept for what ends the others. */
const usualPlaces = 8;
const urgentPlaces = 10;

/** A place that we have given back is not free at once on the server's side. */
const mostRefusals = 10;
const refusalPauseMs = 20;

/** Connections of one sandbox. */
export interface Connections extends AsyncDisposable {
	/**
	 * Runs a command. A connection that is gone is replaced once, and only when the command cannot have started.
	 * @throws {BackendUnavailable} When the host cannot be reached or will not run anything.
	 */
	run(request: ChannelRequest): Promise<OpenedChannel>;
	/** A file transfer session, which takes one place until it is ended. @throws {BackendUnavailable} */
	openSftp(signal: AbortSignal): Promise<SFTPWrapper>;
}

/** A connection and how many channels it has. */
interface Line {
	readonly connection: Connection;
	used: number;
	/** Less than we hoped for, when the server has refused one. */
	places: number;
}

/** What became of a request for a channel. Only after `unknown` the command may be running. */
type Answer<T> =
	| { readonly kind: "open"; readonly value: T }
	| { readonly kind: "full" | "gone" | "unknown"; readonly reason: string };

/** `open` makes a connection; `isRepeatable` tells whether another one can be made without asking the user anything. */
export function createConnections(
	open: (signal: AbortSignal) => Promise<Connection>,
	isRepeatable: () => boolean,
): Connections {
	return new ConnectionPool(open, isRepeatable);
}

type PlaceRequest = Pick<ChannelRequest, "isUrgent" | "signal">;

class ConnectionPool implements Connections {
	readonly #open: (signal: AbortSignal) => Promise<Connection>;
	readonly #isRepeatable: () => boolean;
	readonly #lines = new Set<Line>();
	/** Ends an attempt to connect that is under way. */
	readonly #closing = new AbortController();
	#opening: Promise<void> | undefined;
	#placeFreed = Promise.withResolvers<void>();

	constructor(open: (signal: AbortSignal) => Promise<Connection>, isRepeatable: () => boolean) {
		this.#open = open;
		this.#isRepeatable = isRepeatable;
	}

	run(request: ChannelRequest): Promise<OpenedChannel> {
		return this.#withPlace(request, async (line) => {
			const { client, lost } = line.connection;
			const answer = await requestChannel(client, request);
			if (answer.kind !== "open") return answer;
			void answer.value.closed.then(() => this.#giveBack(line));
			return { kind: "open", value: { ...answer.value, lost, roundTrip: () => roundTrip(client) } };
		});
	}

	openSftp(signal: AbortSignal): Promise<SFTPWrapper> {
		return this.#withPlace({ isUrgent: false, signal }, async (line) => {
			const answer = await requestSftp(line.connection.client);
			if (answer.kind === "open") answer.value.once("close", () => this.#giveBack(line));
			return answer;
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort(new BackendUnavailable("Cannot use ssh: the sandbox is closed"));
		for (const { connection } of this.#lines) connection[Symbol.dispose]();
		this.#lines.clear();
	}

	/** Takes a place and uses it; elsewhere again when the server has none left, and once when the connection was gone. */
	async #withPlace<T>(request: PlaceRequest, use: (line: Line) => Promise<Answer<T>>): Promise<T> {
		let isReplaced = false;
		for (let refusals = 0; ; ) {
			const line = await this.#takePlace(request);
			const answer = await use(line);
			if (answer.kind === "open") return answer.value;
			this.#giveBack(line);
			if (answer.kind === "full" && line.used > 0) line.places = line.used;
			else if (answer.kind === "full" && refusals++ < mostRefusals) await Bun.sleep(refusalPauseMs);
			else if (answer.kind === "gone" && !isReplaced) {
				this.#forget(line);
				isReplaced = true;
			} else throw new BackendUnavailable(`Cannot run a command over ssh: ${answer.reason}`);
		}
	}

	async #takePlace({ isUrgent, signal }: PlaceRequest): Promise<Line> {
		const isFree = ({ connection, used, places }: Line) => {
			const limit = isUrgent && places === usualPlaces ? urgentPlaces : places;
			return !connection.isLost && used < limit;
		};
		for (;;) {
			this.#closing.signal.throwIfAborted();
			signal.throwIfAborted();
			const line = [...this.#lines].find(isFree);
			if (line !== undefined) {
				line.used++;
				return line;
			}
			const isAllowed = this.#lines.size === 0 || this.#isRepeatable();
			if (isAllowed) this.#opening ??= this.#openLine();
			await untilAborted(this.#opening ?? this.#placeFreed.promise, signal);
		}
	}

	async #openLine(): Promise<void> {
		try {
			const connection = await this.#open(this.#closing.signal);
			const line = { connection, used: 0, places: usualPlaces };
			this.#lines.add(line);
			void connection.lost.then(() => this.#forget(line));
		} finally {
			this.#opening = undefined;
		}
	}

	#giveBack(line: Line): void {
		line.used--;
		this.#tellWaiting();
	}

	#forget(line: Line): void {
		if (!this.#lines.delete(line)) return;
		line.connection[Symbol.dispose]();
		this.#tellWaiting();
	}

	#tellWaiting(): void {
		this.#placeFreed.resolve();
		this.#placeFreed = Promise.withResolvers<void>();
	}
}

/** A channel whose events are listened to: a short program's end may come in the same packet as its beginning. */
type WatchedChannel = Pick<OpenedChannel, "channel" | "exited" | "closed">;

function watchChannel(channel: ClientChannel): WatchedChannel {
	const { promise: exited, resolve: exit } = Promise.withResolvers<number | string | undefined>();
	const { promise: closed, resolve: close } = Promise.withResolvers<void>();
	channel.on("exit", (code: number | null, signal?: string) => exit(code ?? signal));
	channel.on("close", () => {
		exit(undefined);
		close();
	});
	return { channel, exited, closed };
}

function requestChannel(client: Client, { command, pty }: ChannelRequest): Promise<Answer<WatchedChannel>> {
	return new Promise((resolve) => {
		let isChannelOpen = false;
		const options = {
			...(pty && { pty: { cols: pty.columns, rows: pty.rows, term: "xterm-256color" } }),
			/** ssh2 reads this when the server has opened the channel, right before it sends the command: after that it may run. */
			get env() {
				isChannelOpen = true;
				return {};
			},
		};
		ask(
			() =>
				client.exec(command, options, (error, channel) => {
					if (error === undefined) resolve({ kind: "open", value: watchChannel(channel) });
					else resolve(isChannelOpen ? { kind: "unknown", reason: error.message } : refusalOf(error));
				}),
			resolve,
		);
	});
}

function requestSftp(client: Client): Promise<Answer<SFTPWrapper>> {
	return new Promise((resolve) => {
		ask(
			() =>
				client.sftp((error, sftp) => {
					resolve(error === undefined ? { kind: "open", value: sftp } : refusalOf(error));
				}),
			resolve,
		);
	});
}

/** ssh2 throws when the connection is known to be closed. */
function ask<T>(request: () => void, resolve: (answer: Answer<T>) => void): void {
	try {
		request();
	} catch (cause) {
		resolve({ kind: "gone", reason: cause instanceof Error ? cause.message : String(cause) });
	}
}

/** A server that has no place left says so with a reason; without one the connection is gone. */
function refusalOf(error: Error & { readonly reason?: unknown }): Answer<never> {
	return { kind: error.reason === undefined ? "gone" : "full", reason: error.message };
}

/** Ends a forwarding that does not exist: the answer, a refusal, comes after all that was sent before. */
function roundTrip(client: Client): Promise<void> {
	return new Promise((resolve) => {
		try {
			client.unforwardIn("127.0.0.1", 1, () => resolve());
		} catch {
			// The connection is gone; nothing more will come.
			resolve();
		}
	});
}
