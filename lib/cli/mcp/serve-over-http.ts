/** Serves MCP clients over HTTP until the run is interrupted, and says how to reach it. */

import { readFileSync } from "node:fs";
import { untilAborted } from "../../base/abort.ts";
import { attempt } from "../../base/attempt.ts";
import { type HttpEvent, type ServerCertificate, serveHttp } from "../../serve/mcp/http/serve-http.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { Serving } from "./open-serving.ts";
import type { ServeFlags } from "./serve.ts";
import type { ServeKey } from "./serve-key.ts";

/** What is served, and the key that opens it. */
export type HttpServed = Serving & { readonly key: ServeKey };

/** Returns when everything is closed. @throws {CommandFailed} When the port cannot be had, or the certificate cannot be used. */
export async function serveOverHttp(cli: Cli, flags: ServeFlags, serving: HttpServed): Promise<void> {
	const { host, port, allowHost, maxSessions, idleTimeout, json } = flags;
	const { served, log } = serving;
	const { key, origin } = serving.key;
	const tls = certificateOf(flags);
	const tell = (event: HttpEvent | ListeningEvent) => {
		if (json) cli.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
	};
	const listening = attempt(() =>
		serveHttp({
			served,
			log: log.named("mcp.serve"),
			host,
			port,
			key,
			tls,
			onEvent: tell,
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
	const isInTheClear = tls === undefined && host !== undefined && !isLoopback(host);
	tell({ event: "listening", url: server.url, key_of: origin, is_encrypted: tls !== undefined });
	if (!json) {
		cli.stderr.write(`hermes: serving on ${server.url}; clients send the key of ${origin}\n`);
		if (isInTheClear) cli.stderr.write(`hermes: ${inTheClear}\n`);
	}
	const { signal } = cli.interruption;
	await untilAborted(new Promise<never>(() => {}), signal).catch(() => undefined);
}

const inTheClear =
	"other machines can reach this, and what they send, the key too, is not encrypted; --tls-cert and --tls-key encrypt it";

interface ListeningEvent {
	readonly event: "listening";
	readonly url: string;
	/** Where the key is from; never the key. */
	readonly key_of: string;
	readonly is_encrypted: boolean;
}

function certificateOf({ tlsCert, tlsKey }: ServeFlags): ServerCertificate | undefined {
	if (tlsCert === undefined || tlsKey === undefined) return undefined;
	return { cert: pem("--tls-cert", tlsCert, "CERTIFICATE"), key: pem("--tls-key", tlsKey, "PRIVATE KEY") };
}

/** What is no PEM is said here: the one who listens would call it a trouble with the address. */
function pem(flag: string, path: string, kind: string): string {
	const read = attempt(() => readFileSync(path, "utf8"));
	if (!read.ok) throw new CommandFailed(`Cannot read "${path}" of ${flag}: ${read.reason}`);
	if (new RegExp(`-----BEGIN [A-Z ]*${kind}-----`).test(read.value)) return read.value;
	throw new CommandFailed(`Cannot use "${path}" of ${flag}: there is no ${kind.toLowerCase()} in PEM in it`);
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || host.startsWith("127.");
}
