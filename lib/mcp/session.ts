/** One connected session with a server: requests to it, and news from it. */

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { ServerCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { ZodType, z } from "zod";
import { firstAborted, untilAborted } from "../base/abort.ts";
import { attemptAsync } from "../base/attempt.ts";
import { settledWithin } from "../base/settled-within.ts";
import type { ClientFeature, ServerIdentity, ServerLogin } from "./client-parts.ts";
import type { Deadlines } from "./deadlines.ts";
import { failuresOf, kindOf, shownReason } from "./failure.ts";
import { type OpenedTransport, openTransport, type ServerPlace } from "./transports/open-transport.ts";

/** What a session is opened with. */
export interface SessionOptions {
	readonly server: ServerIdentity;
	readonly place: ServerPlace;
	readonly features: readonly ClientFeature[];
	readonly deadlines: Deadlines;
	readonly login?: ServerLogin | undefined;
	/** Aborting it gives up opening. */
	readonly signal: AbortSignal;
	/** The server says that its tools are others now. */
	onToolsChanged(): void;
	/** The session is over or useless, and we did not close it. At most once. */
	onLost(reason: string): void;
	/** Something failed that may mean that the server does not know the session any more, or has no stream to offer. */
	onDoubt(): void;
}

/** A request of the protocol. */
export interface Request<T extends ZodType> {
	readonly method: string;
	readonly params: Readonly<Record<string, unknown>>;
	/** Of the answer. */
	readonly result: T;
}

/** How a request is bounded. */
export interface RequestLimits {
	readonly signal: AbortSignal;
	readonly limitMs: number;
	/** Told what the server says of its progress, which also gives the request its whole time again. */
	onProgress?(text: string): void;
}

/** A session that is open. Disposing it ends a server that is a process. */
export interface Session extends AsyncDisposable {
	readonly capabilities: ServerCapabilities;
	/** @throws {ServerFailed} */
	request<T extends ZodType>(request: Request<T>, limits: RequestLimits): Promise<z.output<T>>;
}

/** Longer than any limit of ours: the SDK must not give up before we do. */
const neverMs = 2 ** 31 - 1;
const goodbyeMs = 1_000;
/** Characters of what a server wants logged. */
const longestLogged = 2_000;
/** Lines that are no messages, and the like, of one session. */
const mostErrorsLogged = 100;
/** Of a stream that cannot be had again: notifications would be lost without a word. */
const streamLost = /Maximum reconnection attempts|Failed to reconnect/;

/** Opens a session within `connect_timeout`. @throws {ServerFailed} With what the server said about itself. */
export async function openSession(options: SessionOptions): Promise<Session> {
	const { server, signal } = options;
	const limitMs = server.settings.connect_timeout * 1_000;
	const late = AbortSignal.timeout(limitMs);
	const fail = failuresOf(server.name);
	using either = firstAborted([signal, late]);
	const opened = await attemptOpen(options, server, either.signal);
	if (opened instanceof Connected) return opened;
	if (late.aborted)
		throw fail("late", withWords({ ...opened, cause: `it was not there within ${limitMs / 1_000} s` }), opened.cause);
	if (signal.aborted) throw fail("interrupted", "connecting was given up", opened.cause);
	throw fail(kindOf(opened.cause), withWords(opened), opened.cause);
}

interface NotOpened {
	readonly cause: unknown;
	/** What the server said about itself. */
	readonly words: string | undefined;
}

/** That the connection is closed is no news beside why. */
function withWords({ cause, words }: NotOpened): string {
	const reason = shownReason(cause);
	if (words === undefined) return reason;
	return shownReason(/^(?:Connection closed|the server has ended)$/.test(reason) ? words : `${reason}; ${words}`);
}

/** A server of which nobody said how it speaks may be an old one. */
async function attemptOpen(
	options: SessionOptions,
	server: ServerIdentity,
	signal: AbortSignal,
): Promise<Connected | NotOpened> {
	const first = await attemptConnect(options, server, signal);
	const { settings } = server;
	if (first instanceof Connected || settings.kind !== "http" || !settings.isGuessed) return first;
	if (signal.aborted || !isOldServer(first.cause)) return first;
	const second = await attemptConnect(options, { ...server, settings: { ...settings, kind: "sse" } }, signal);
	return second instanceof Connected ? second : first;
}

/** What the protocol says a client shall take for one: it does not know the request. */
function isOldServer(cause: unknown): boolean {
	return cause instanceof Error && "code" in cause && [400, 404, 405].includes(Number(cause.code));
}

async function attemptConnect(
	options: SessionOptions,
	server: ServerIdentity,
	signal: AbortSignal,
): Promise<Connected | NotOpened> {
	const { features, place, login } = options;
	let opened: OpenedTransport | undefined;
	try {
		opened = await openTransport(server, { place, login, signal });
		const sdk = await import("@modelcontextprotocol/sdk/client/index.js");
		const capabilities = Object.assign({}, ...features.map((feature) => feature.capabilities));
		const client = new sdk.Client({ name: "hermes", version: "1" }, { capabilities });
		const connected = new Connected(client, opened, options);
		for (const feature of features) await feature.attach(client, connected.forFeatures());
		// The SDK looks at the signal only once the way is open.
		await untilAborted(connected.connect(signal), signal);
		return connected;
	} catch (cause) {
		const { transport, complaint } = opened ?? {};
		// What a server says when we give it up is no reason why we did; what one says that ends by itself comes with its end.
		const wordsBefore = complaint?.();
		await attemptAsync(() => transport?.close());
		return { cause, words: signal.aborted ? wordsBefore : complaint?.() };
	}
}

class Connected implements Session {
	readonly #client: Client;
	readonly #opened: OpenedTransport;
	readonly #options: SessionOptions;
	readonly #over = new AbortController();
	#isOpen = false;
	#errors = 0;

	constructor(client: Client, opened: OpenedTransport, options: SessionOptions) {
		this.#client = client;
		this.#opened = opened;
		this.#options = options;
	}

	get capabilities(): ServerCapabilities {
		return this.#client.getServerCapabilities() ?? {};
	}

	forFeatures() {
		const { deadlines } = this.#options;
		return { signal: this.#over.signal, whilePaused: deadlines.whilePaused.bind(deadlines) };
	}

	async connect(signal: AbortSignal): Promise<void> {
		const { server, onToolsChanged } = this.#options;
		const types = await import("@modelcontextprotocol/sdk/types.js");
		// Never awaited in the handler: a list that is asked for in it waits for messages that wait for the handler.
		this.#client.setNotificationHandler(
			types.ToolListChangedNotificationSchema,
			() => void queueMicrotask(onToolsChanged),
		);
		this.#client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => {
			const said = typeof params.data === "string" ? params.data : JSON.stringify(params.data);
			server.log.debug(`${params.level}: ${said.slice(0, longestLogged)}`);
		});
		this.#client.onerror = (error) => {
			if (++this.#errors <= mostErrorsLogged) server.log.info(shownReason(error));
			if (this.#isOpen && (kindOf(error) === "expired" || streamLost.test(error.message))) this.#options.onDoubt();
		};
		this.#client.onclose = () => this.#lose(this.#opened.complaint?.() ?? "the connection was closed");
		await this.#client.connect(this.#opened.transport, { timeout: neverMs, signal });
		this.#isOpen = true;
	}

	async request<T extends ZodType>(
		{ method, params, result }: Request<T>,
		{ signal, limitMs, onProgress }: RequestLimits,
	): Promise<z.output<T>> {
		const { deadlines, server } = this.#options;
		const fail = failuresOf(server.name);
		using deadline = deadlines.begin(limitMs);
		using either = firstAborted([signal, deadline.signal]);
		try {
			// The SDK tells the server when we give up.
			return await this.#client.request({ method, params: { ...params } }, result, {
				signal: either.signal,
				timeout: neverMs,
				...(onProgress !== undefined && {
					onprogress: ({ message, progress, total }) => {
						deadline.extend();
						onProgress(message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`);
					},
				}),
			});
		} catch (cause) {
			if (signal.aborted) throw fail("interrupted", "the call was interrupted", cause);
			if (deadline.signal.aborted) throw fail("late", `${method} had no answer within ${limitMs / 1_000} s`, cause);
			const kind = kindOf(cause);
			throw fail(kind, withWords({ cause, words: kind === "gone" ? this.#opened.complaint?.() : undefined }), cause);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isOpen = false;
		this.#over.abort();
		const { bid, transport } = this.#opened;
		// A server that does not answer is left alone.
		if (bid !== undefined) await settledWithin(attemptAsync(bid), goodbyeMs);
		await attemptAsync(() => transport.close());
	}

	#lose(reason: string): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		this.#over.abort();
		this.#options.onLost(reason);
	}
}
