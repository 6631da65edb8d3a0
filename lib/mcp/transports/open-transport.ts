/** The contract of a way to reach a server, and the choice of one. */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Sandbox } from "../../environments/backend.ts";
import type { LocalHost } from "../../environments/local/local-host.ts";
import type { ServerIdentity, ServerLogin } from "../client-parts.ts";
import type { ProcessSettings, RemoteSettings } from "../server-settings.ts";

/** What servers are started in and reached through. */
export interface ServerPlace {
	/** Our own variables: servers see what programs need of them, requests leave as they say. */
	readonly variables: Readonly<Record<string, string>>;
	/** Folder that servers start in which say nothing else. */
	readonly cwd: string;
	/** Starts processes of this machine, which end with us also when we are killed. */
	localHost(): Promise<LocalHost>;
	/** Where a server with a `backend` runs; the same place each time it is started. @throws {BackendUnavailable} */
	sandboxOf(server: ServerIdentity<ProcessSettings>, signal: AbortSignal): Promise<Sandbox>;
}

/** A way to one server, not used yet. */
export interface OpenedTransport {
	readonly transport: Transport;
	/** What the server said about itself besides its messages, for the reason of a failure: standard error, exit code. */
	complaint?(): string | undefined;
	/** Ends a session at the server before the way to it is closed. */
	bid?(): Promise<void>;
}

/** What a way is made with. */
export interface TransportOptions {
	readonly place: ServerPlace;
	readonly login?: ServerLogin | undefined;
	readonly signal: AbortSignal;
}

/** The way that the settings of `server` ask for. @throws {Error} When it cannot even be begun. */
export async function openTransport(server: ServerIdentity, options: TransportOptions): Promise<OpenedTransport> {
	const { settings } = server;
	switch (settings.kind) {
		case "stdio": {
			const { openProcess } = await import("./open-process.ts");
			return openProcess(withSettings<ProcessSettings>(server, settings), options);
		}
		case "http": {
			const { openStreamableHttp } = await import("./streamable-http.ts");
			return await openStreamableHttp(withSettings<RemoteSettings>(server, settings), options);
		}
		case "sse": {
			const { openSse } = await import("./sse.ts");
			return await openSse(withSettings<RemoteSettings>(server, settings), options);
		}
	}
}

function withSettings<S extends ProcessSettings | RemoteSettings>(
	{ name, log }: ServerIdentity,
	settings: S,
): ServerIdentity<S> {
	return { name, log, settings };
}
