/** Serves MCP clients over HTTP until the run is interrupted, and says how to reach it. */

import { untilAborted } from "../../base/abort.ts";
import { attempt } from "../../base/attempt.ts";
import { serveHttp } from "../../serve/mcp/http/serve-http.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { Serving } from "./open-serving.ts";
import type { ServeFlags } from "./serve.ts";
import type { ServeKey } from "./serve-key.ts";

/** What is served, and the key that opens it. */
export type HttpServed = Serving & { readonly key: ServeKey };

/** Returns when everything is closed. @throws {CommandFailed} When the port cannot be had. */
export async function serveOverHttp(cli: Cli, flags: ServeFlags, serving: HttpServed): Promise<void> {
	const { host, port, allowHost, maxSessions, idleTimeout } = flags;
	const { served, log } = serving;
	const { key, origin } = serving.key;
	const listening = attempt(() =>
		serveHttp({
			served,
			log: log.named("mcp.serve"),
			host,
			port,
			key,
			allowedHosts: allowHost,
			...(maxSessions !== undefined && { mostClients: maxSessions }),
			...(idleTimeout !== undefined && { idleMs: idleTimeout * 1_000 }),
		}),
	);
	if (!listening.ok) {
		const where = host ?? "127.0.0.1";
		throw new CommandFailed(`Cannot listen on ${where}: ${listening.reason} Choose another with --port or --host`);
	}
	await using server = listening.value;
	cli.stderr.write(`hermes: serving on ${server.url}; clients send the key of ${origin}\n`);
	if (host !== undefined && !isLoopback(host)) {
		cli.stderr.write("hermes: other machines can reach this, and what they send, the key too, is not encrypted\n");
	}
	const { signal } = cli.interruption;
	await untilAborted(new Promise<never>(() => {}), signal).catch(() => undefined);
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || host.startsWith("127.");
}
