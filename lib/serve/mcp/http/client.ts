/** One client over HTTP: its session, the streams that are open to it, and what happens when it does not come back. */

import { attemptAsync, reasonOf } from "../../../base/attempt.ts";
import type { Logger } from "../../../log/logger.ts";
import { openMcpServer } from "../mcp-server.ts";
import type { Served } from "../served.ts";
import { createEventMemory } from "./event-memory.ts";
import { withWatchedBody } from "./watched-body.ts";

/** What clients are served with. */
export interface ClientOptions {
	readonly served: Served;
	readonly log: Logger;
	/** Bytes of one request. */
	readonly longestMessage: number;
	/** How long calls run on for a client that is not connected: it may come back for their results. */
	readonly absentMs: number;
	/** After this without a request, a stream or a call the client is forgotten. */
	readonly idleMs: number;
	/** The client has begun a session. */
	onBegun(id: string, client: HttpClient): void;
	/** Nothing is served to the client any more; what was opened for it is being closed. */
	onGone(id: string): void;
	/** Everything is closed. */
	onClosed(client: HttpClient): void;
}

/** A client. Disposing it ends its calls and closes what was opened for it. */
export interface HttpClient extends AsyncDisposable {
	/** Missing before the first request was understood. */
	readonly id: string | undefined;
	/** It has a stream open, or a call that runs. */
	readonly isBusy: boolean;
	/** When it was heard of last; milliseconds of `performance.now()`. */
	readonly usedAt: number;
	handle(request: Request): Promise<Response>;
}

/** A client that has said nothing yet. */
export async function openHttpClient(options: ClientOptions): Promise<HttpClient> {
	const { served, log, longestMessage, absentMs, idleMs, onBegun, onGone, onClosed } = options;
	const { WebStandardStreamableHTTPServerTransport } = await import(
		"@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
	);
	const note = (error: Error) => log.info(reasonOf(error));
	const open = await openMcpServer(served, note);
	const transport = new WebStandardStreamableHTTPServerTransport({
		sessionIdGenerator: () => crypto.randomUUID(),
		onsessioninitialized: (id) => onBegun(id, client),
		onsessionclosed: () => void close(),
		eventStore: createEventMemory(),
		maxRequestBodySize: longestMessage,
	});
	await open.server.connect(transport);

	let closing: Promise<void> | undefined;
	let streams = 0;
	let usedAt = performance.now();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const leave = () => {
		clearTimeout(timer);
		usedAt = performance.now();
		if (streams > 0 || closing !== undefined) return;
		if (open.callsRunning === 0) timer = setTimeout(() => void close(), idleMs);
		else timer = setTimeout(interrupt, absentMs);
		timer.unref();
	};
	const interrupt = () => {
		open.interruptCalls("Cannot go on with the call: its client has gone away");
		leave();
	};
	const closeAll = async () => {
		if (transport.sessionId !== undefined) onGone(transport.sessionId);
		// One client's trouble is not the others': nobody waits for this.
		const closed = await attemptAsync(() => open[Symbol.asyncDispose]());
		if (!closed.ok) log.warning(`a client could not be put away: ${closed.reason}`);
		onClosed(client);
	};
	const close = async () => {
		clearTimeout(timer);
		closing ??= closeAll();
		await closing;
	};

	const client: HttpClient = {
		get id() {
			return transport.sessionId;
		},
		get isBusy() {
			return streams > 0 || open.callsRunning > 0;
		},
		get usedAt() {
			return usedAt;
		},
		async handle(request) {
			clearTimeout(timer);
			streams++;
			const end = () => {
				streams--;
				leave();
			};
			try {
				const response = await transport.handleRequest(request);
				return withWatchedBody(response, { isListening: request.method === "GET", onEnd: end });
			} catch (cause) {
				end();
				throw cause;
			}
		},
		[Symbol.asyncDispose]: close,
	};
	return client;
}
