/** What others bring to the connections of MCP servers: answers to requests of servers, logins, a look before the first start. */

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Logger } from "../log/logger.ts";
import type { RemoteSettings, ServerSettings } from "./server-settings.ts";

/** The server that something is for. */
export interface ServerIdentity<S extends ServerSettings = ServerSettings> {
	/** Its key in `mcp_servers`. */
	readonly name: string;
	readonly settings: S;
	readonly log: Logger;
}

/** One connection, as whoever answers its requests sees it. */
export interface FeatureSession {
	/** Aborted when the connection is over. */
	readonly signal: AbortSignal;
	/** Calls of this server do not run out of time while `wait` runs: somebody is asked something. */
	whilePaused<T>(wait: () => Promise<T>): Promise<T>;
}

/** Requests that a server may send us. */
export interface ClientFeature {
	/** What the server is told we can do. */
	readonly capabilities: ClientCapabilities;
	/** Sets the handlers of a client that is not connected yet; called for every new connection. */
	attach(client: Client, session: FeatureSession): void | Promise<void>;
	/** A request was refused until the user has done something. True when they have: it is made once more. */
	clears?(refusal: unknown, signal: AbortSignal): Promise<boolean>;
}

/** Who we are to a server. */
export interface ServerLogin {
	/** Sends requests to the server: adds the token, and renews it when it is over or refused. What cannot be helped is a 401. */
	readonly fetch: FetchLike;
	/**
	 * The server refused us with 401 all the same. True when somebody has logged in since, so that a new connection is worth
	 * one more try.
	 */
	recover(signal: AbortSignal): Promise<boolean>;
	/** What the user does when it was not: `run hermes mcp login NAME`. */
	readonly advice: string;
}

/** All of them; what is missing is not offered. */
export interface ClientParts {
	/** Asked once for each server. */
	features?(server: ServerIdentity): readonly ClientFeature[];
	/** Undefined for a server without a login. `fetch` goes the way of the server's own requests. */
	login?(server: ServerIdentity<RemoteSettings>, fetch: FetchLike): Promise<ServerLogin | undefined>;
	/** Why a server must not be started, asked before its first start; undefined when it may. */
	refusal?(server: ServerIdentity, signal: AbortSignal): Promise<string | undefined>;
}
