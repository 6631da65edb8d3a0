/** Requests to a server that is reached by its address: our headers to nobody else, proxy and authorities as configured. */

import { rootCertificates } from "node:tls";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { systemReason } from "../../base/system-reason.ts";
import { networkOf } from "../../providers/network.ts";
import { viaProxy } from "../../providers/wire/proxy.ts";
import type { RemoteSettings } from "../server-settings.ts";
import { boundedBody } from "./bounded-body.ts";

/**
 * A fetch for the server and for whoever gives out its tokens. Configured headers go to the server alone.
 * @throws {Error} When a certificate cannot be read, or the settings of the network are wrong.
 */
export async function serverFetch(
	settings: RemoteSettings,
	variables: Readonly<Record<string, string>>,
): Promise<FetchLike> {
	const network = networkOf(variables);
	const own = new URL(settings.url);
	const tls = await tlsOf(settings, network.authorities);
	return async (input, init) => {
		const url = new URL(input);
		const headers = new Headers(init?.headers);
		const isOwn = url.origin === own.origin;
		if (isDowngrade(own, url)) {
			throw new Error(`Cannot send anything to ${url.origin}: it is not encrypted, and the server that names it is`);
		}
		if (isOwn) for (const [name, value] of Object.entries(settings.headers)) headers.set(name, value);
		if (!headers.has("user-agent")) headers.set("user-agent", "hermes");
		const response = await fetch(url, {
			...init,
			headers,
			redirect: init?.redirect ?? "manual",
			// A stream on which nothing happens for hours is well; Bun would end it after five minutes.
			timeout: false,
			...viaProxy(url, network),
			// Who we are is shown to the server alone; other hosts are trusted as usual.
			...(isOwn ? tls : withAuthorities(network.authorities)),
		});
		return boundedBody(response);
	};
}

/** What a login sends is worth as much as the login: a server must not have it sent where everybody on the way can read it. */
function isDowngrade(own: URL, { protocol, hostname }: URL): boolean {
	const isHere = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
	return own.protocol === "https:" && protocol !== "https:" && !isHere;
}

function withAuthorities(authorities: string | undefined): { readonly tls?: Bun.TLSOptions } {
	return authorities === undefined ? {} : { tls: { ca: [...rootCertificates, authorities] } };
}

async function tlsOf(
	{ ssl_verify: verify, client_cert: certificate, client_key: key }: RemoteSettings,
	authorities: string | undefined,
): Promise<{ readonly tls?: Bun.TLSOptions }> {
	const parts = Array.isArray(certificate) ? certificate : [certificate, key ?? certificate];
	const [certificatePath, keyPath, passphrase] = parts;
	const own = typeof verify === "string" ? await readPem("ssl_verify", verify) : undefined;
	const known = [authorities, own].filter((pem) => pem !== undefined);
	const tls: Bun.TLSOptions = {
		...(known.length > 0 && { ca: [...rootCertificates, ...known] }),
		...(verify === false && { rejectUnauthorized: false }),
		...(certificatePath !== undefined && { cert: await readPem("client_cert", certificatePath) }),
		...(keyPath !== undefined && { key: await readPem("client_key", keyPath) }),
		...(passphrase !== undefined && { passphrase }),
	};
	return Object.keys(tls).length === 0 ? {} : { tls };
}

async function readPem(setting: string, path: string): Promise<string> {
	try {
		return await Bun.file(path).text();
	} catch (cause) {
		throw new Error(`Cannot read "${path}" of ${setting}: ${systemReason(cause)}`, { cause });
	}
}
