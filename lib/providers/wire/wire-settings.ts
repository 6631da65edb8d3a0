/** What every wire is told about the endpoint it speaks to. */

import type { Network } from "../provider.ts";

/** A request that is to be signed. It is always a POST of JSON. */
export interface UnsignedRequest {
	readonly url: URL;
	readonly body: string;
}

/** Where an endpoint is and how to get in. */
export interface WireSettings {
	/** The provider's id. What it put beside its answers is sent back to it alone. */
	readonly provider: string;
	readonly baseUrl: string;
	/** Left out for a server without keys; then no header with one is sent. */
	readonly apiKey?: string;
	/** What a message about a refused key names: a variable, or the label of a stored key. */
	readonly keyName: string;
	/** Name of the header that carries the key as it is; it is a bearer token when left out. */
	readonly keyHeader?: string;
	/** Gives the headers that let a request in where no key does. @throws {ProviderRefused} When it cannot be signed. */
	readonly sign?: (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>;
	/** Seconds of silence after which a request is given up. */
	readonly stallSeconds: number;
	/** Sent with every request. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly cacheTtl?: "5m" | "1h";
	readonly network?: Network;
	/** Answers instead of the network: a recorded answer is played through the same code. */
	readonly answer?: () => Response;
}
