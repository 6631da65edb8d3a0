/** Servers that are reached by their address, as the protocol did it until 2025: a stream of events, and requests beside it. */

import type { ServerIdentity } from "../client-parts.ts";
import type { RemoteSettings } from "../server-settings.ts";
import { sameResponse } from "./bounded-body.ts";
import type { OpenedTransport, TransportOptions } from "./open-transport.ts";
import { serverFetch } from "./server-fetch.ts";

/** The way to a server; nothing is sent yet. @throws {Error} When a certificate of the settings cannot be read. */
export async function openSse(
	{ settings }: ServerIdentity<RemoteSettings>,
	{ place, login }: TransportOptions,
): Promise<OpenedTransport> {
	const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
	const send = login?.fetch ?? (await serverFetch(settings, place.variables));
	const transport = new SSEClientTransport(new URL(settings.url), {
		fetch: async (input, init) => watched(await send(input, init), () => void transport.close()),
	});
	return { transport };
}

/**
 * Tells of the end of the stream of events. The session ends with it: a stream that is opened again is another session, and
 * requests of the old one may never be answered.
 */
function watched(response: Response, onEnd: () => void): Response {
	if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	response.body.pipeTo(writable).then(onEnd, onEnd);
	return sameResponse(response, readable);
}
