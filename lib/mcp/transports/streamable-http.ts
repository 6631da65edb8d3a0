/** Servers that are reached by their address, as the protocol does it today. */

import type { ServerIdentity } from "../client-parts.ts";
import type { RemoteSettings } from "../server-settings.ts";
import { watchStreams } from "./cut-streams.ts";
import type { OpenedTransport, TransportOptions } from "./open-transport.ts";
import { serverFetch } from "./server-fetch.ts";

/** The way to a server; nothing is sent yet. @throws {Error} When a certificate of the settings cannot be read. */
export async function openStreamableHttp(
	{ settings }: ServerIdentity<RemoteSettings>,
	{ place, login }: TransportOptions,
): Promise<OpenedTransport> {
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	const { fetch, attach } = watchStreams(login?.fetch ?? (await serverFetch(settings, place.variables)));
	const transport = new StreamableHTTPClientTransport(new URL(settings.url), { fetch });
	attach(transport);
	return { transport, bid: () => transport.terminateSession() };
}
