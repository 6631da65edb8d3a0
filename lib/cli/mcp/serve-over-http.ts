/** Serves MCP clients over HTTP until the run is interrupted, and says how to reach it. */

import { join } from "node:path";
import { untilAborted } from "../../base/abort.ts";
import { attempt } from "../../base/attempt.ts";
import { checkedKey, KeyUnusable, keepKey, readKeyFile } from "../../serve/mcp/http/access-key.ts";
import { serveHttp } from "../../serve/mcp/http/serve-http.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { Serving } from "./open-serving.ts";
import type { ServeFlags } from "./serve.ts";

/** Returns when everything is closed. @throws {CommandFailed} When there is no key, or the port cannot be had. */
export async function serveOverHttp(cli: Cli, flags: ServeFlags, { served, log }: Serving): Promise<void> {
	const { host, port, allowHost, maxSessions, idleTimeout } = flags;
	const { key, origin } = keyOf(cli, flags);
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
	if (!listening.ok) throw new CommandFailed(`Cannot listen on ${host ?? "127.0.0.1"}: ${listening.reason}`);
	await using server = listening.value;
	cli.stderr.write(`hermes: serving on ${server.url}; clients send the key of ${origin}\n`);
	if (host !== undefined && !isLoopback(host)) {
		cli.stderr.write("hermes: other machines can reach this, and what they send, the key too, is not encrypted\n");
	}
	const { signal } = cli.interruption;
	await untilAborted(new Promise<never>(() => {}), signal).catch(() => undefined);
}

function keyOf(cli: Cli, { keyEnv, keyFile }: ServeFlags): { readonly key: string; readonly origin: string } {
	try {
		if (keyEnv !== undefined) {
			const key = cli.environment.variables[keyEnv];
			if (!key) throw new KeyUnusable(`Cannot use the key of ${keyEnv}: that variable is not set`);
			return { key: checkedKey(key, keyEnv), origin: keyEnv };
		}
		if (keyFile !== undefined) return { key: readKeyFile(keyFile), origin: keyFile };
		const path = join(cli.environment.hermesHome, "mcp-serve.key");
		return { key: keepKey(path), origin: path };
	} catch (cause) {
		if (cause instanceof KeyUnusable) throw new CommandFailed(cause.message, { cause });
		throw cause;
	}
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || host.startsWith("127.");
}
