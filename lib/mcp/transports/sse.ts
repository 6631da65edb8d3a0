/** Servers that are reached by their address, as the protocol did it until 2025: a stream of events, and requests beside it. */

import type { ServerIdentity } from "../client-parts.ts";
import type { RemoteSettings } from "../server-settings.ts";
import type { OpenedTransport, TransportOptions } from "./open-transport.ts";
import { serverFetch } from "./server-fetch.ts";

/** The way to a server; nothing is sent yet. @throws {Error} When a certificate of the settings cannot be read. */
export async function openSse(
	{ settings }: ServerIdentity<RemoteSettings>,
	{ place, login }: TransportOptions,
): Promise<OpenedTransport> {
	const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
	const transport = new SSEClientTransport(new URL(settings.url), {
		fetch: login?.fetch ?? (await serverFetch(settings, place.variables)),
	});
	return { transport };
}
