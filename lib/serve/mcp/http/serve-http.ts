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
	/** Names, besides those of this machine, that clients may reach the server by. */
	readonly allowedHosts?: readonly string[] | undefined;
}

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

/** @throws {Error} When the address cannot be listened on. */
export function serveHttp(options: ServeHttpOptions): HttpServing {
	const { served, log, key, host = usualHost, port = usualPort, allowedHosts = [] } = options;
	const longest = options.longestMessage ?? longestMessage;
	const clients = createHttpClients({
		served,
		log,
		longestMessage: longest,
		absentMs: options.absentMs ?? usualAbsentMs,
		idleMs: options.idleMs ?? usualIdleMs,
		mostClients: options.mostClients ?? usualClients,
	});
	const app = createApp({
		clients,
		key,
		allowedHosts: new Set(allowedHosts.map((name) => name.toLowerCase())),
		onRefused: (reason) => log.warning(`a request was refused: ${reason}`),
		onFailed: (cause) => log.error("a request failed", cause),
	});
	const server = Bun.serve({
		hostname: host,
		port,
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
		url: `http://${shown}:${server.port}${mcpPath}`,
		get clientCount() {
			return clients.count;
		},
		async [Symbol.asyncDispose]() {
			await clients[Symbol.asyncDispose]();
			await server.stop(true);
		},
	};
}
