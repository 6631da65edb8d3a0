/** Serves MCP clients over streamable HTTP until it is disposed of. */

import type { Logger } from "../../../log/logger.ts";
import { longestMessage } from "../longest-message.ts";
import type { Served } from "../served.ts";
import { createApp, mcpPath } from "./app.ts";
import { type ClientsOptions, createHttpClients } from "./clients.ts";

/** Where and to whom. */
export interface ServeHttpOptions
	extends Partial<Pick<ClientsOptions, "absentMs" | "idleMs" | "mostClients" | "longestMessage">> {
	readonly served: Served;
	readonly log: Logger;
	readonly host?: string | undefined;
	/** 0 takes a free one. */
	readonly port?: number | undefined;
	/** What clients must send; without one everybody may come in who reaches the port. */
	readonly key: string | undefined;
	/** What clients make sure of that it is us, in PEM; without it nothing is encrypted. */
	readonly tls?: ServerCertificate | undefined;
	/** Told of what happens at the door. */
	onEvent?(event: HttpEvent): void;
	/** Names, besides those of this machine, that clients may reach the server by. */
	readonly allowedHosts?: readonly string[] | undefined;
}

/** A certificate, with those that vouch for it behind it, and its key. */
export interface ServerCertificate {
	readonly cert: string;
	readonly key: string;
}

/** What happens at the door: a client has begun, one is gone, a request was not let in. `clients` are those that are there now. */
export type HttpEvent =
	| { readonly event: "client_opened" | "client_closed"; readonly clients: number }
	| { readonly event: "request_refused"; readonly reason: string };

/** A server that listens. Disposing it ends the calls, closes what was opened for clients, and lets the port go. */
export interface HttpServing extends AsyncDisposable {
	readonly url: string;
	/** Clients that have a session now. */
	readonly clientCount: number;
}

const usualHost = "127.0.0.1";
const usualPort = 8765;
const usualClients = 16;
const usualIdleMs = 30 * 60_000;
const usualAbsentMs = 30_000;
/** Seconds without a byte after which a connection is closed. Streams to clients carry a sign of life every 15. */
const silenceSeconds = 120;
/** What a request has besides its body. */
const headRoom = 64 * 1024;

/** @throws {Error} When the address cannot be listened on, or the certificate cannot be used. */
export function serveHttp(options: ServeHttpOptions): HttpServing {
	const { served, log, key, tls, onEvent, host = usualHost, port = usualPort, allowedHosts = [] } = options;
	const longest = options.longestMessage ?? longestMessage;
	const clients = createHttpClients({
		served,
		log,
		longestMessage: longest,
		absentMs: options.absentMs ?? usualAbsentMs,
		idleMs: options.idleMs ?? usualIdleMs,
		mostClients: options.mostClients ?? usualClients,
		onCount: (event, count) => onEvent?.({ event, clients: count }),
	});
	const app = createApp({
		clients,
		key,
		allowedHosts: new Set(allowedHosts.map((name) => name.toLowerCase())),
		onRefused(reason) {
			log.warning(`a request was refused: ${reason}`);
			onEvent?.({ event: "request_refused", reason });
		},
		onFailed: (cause) => log.error("a request failed", cause),
	});
	const server = Bun.serve({
		hostname: host,
		port,
		...(tls && { tls }),
		fetch: (request) => app.fetch(request),
		idleTimeout: silenceSeconds,
		maxRequestBodySize: longest + headRoom,
		// Else the cause of a failure would be shown to whoever asks.
		development: false,
		// Without development mode Bun would share the port with other processes, and clients would get to any of them.
		reusePort: false,
	});
	const shown = host.includes(":") ? `[${host}]` : host;
	return {
		url: `${tls === undefined ? "http" : "https"}://${shown}:${server.port}${mcpPath}`,
		get clientCount() {
			return clients.count;
		},
		async [Symbol.asyncDispose]() {
			await clients[Symbol.asyncDispose]();
			await server.stop(true);
		},
	};
}
