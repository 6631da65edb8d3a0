/** One request to an address that was checked before: the name is not resolved a second time. */

import { isIP } from "node:net";
import { attemptAsync } from "../../base/attempt.ts";
import { proxyFor } from "./proxy.ts";

/** A request and where it goes. */
export interface PinnedRequest {
	readonly url: URL;
	/** The checked addresses of its host; one after the other until one answers. */
	readonly addresses: readonly string[];
	/** HTTPS_PROXY, NO_PROXY and the like. */
	readonly variables: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
}

/** Some sites turn away what does not look like a browser's request. */
const headers = {
	"user-agent": "Mozilla/5.0 (compatible; hermes)",
	accept: "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
	"accept-language": "en,*;q=0.5",
};
/** An address that does not take the connection leaves time for the next one. */
const connectLimitMs = 10_000;

/**
 * Asks for `url` at one of `addresses`, with the name in the Host header and in TLS, where the certificate is checked against
 * it. A proxy is told the address too, so it has nothing to resolve. Redirects are answers like others. A certificate that
 * is wrong, and a server that is not there, are thrown.
 * @throws {Error} When no address answers.
 */
export async function requestPinned(request: PinnedRequest): Promise<Response> {
	const [first, ...others] = request.addresses;
	if (first === undefined) throw new Error("its name has no address");
	const hasOthers = others.length > 0;
	const asked = await attemptAsync(() => requestAt(request, first, hasOthers));
	if (asked.ok) return asked.value;
	request.signal.throwIfAborted();
	if (hasOthers) return requestPinned({ ...request, addresses: others });
	throw new Error(asked.reason);
}

async function requestAt(request: PinnedRequest, address: string, hasOthers: boolean): Promise<Response> {
	const { url, variables, signal } = request;
	const proxy = proxyFor(url, variables);
	const connecting = new AbortController();
	const timer = hasOthers ? setTimeout(() => connecting.abort(), connectLimitMs) : undefined;
	try {
		return await fetch(pinnedUrl(url, address), {
			headers: { ...headers, host: url.host },
			redirect: "manual",
			signal: AbortSignal.any([signal, connecting.signal]),
			// A kept connection is known by its address alone, and would be used for another name there.
			keepalive: false,
			proxy: proxy === false ? false : { url: proxy, respectNoProxy: false },
			...(url.protocol === "https:" && !isLiteral(url) && { tls: { serverName: url.hostname.replace(/\.+$/, "") } }),
		});
	} finally {
		clearTimeout(timer);
	}
}

/** @throws {Error} When `address` is a name: a URL would take it, and fetch would resolve it. */
function pinnedUrl(url: URL, address: string): string {
	const bare = address.replace(/%.*$/, "");
	if (isIP(bare) === 0) throw new Error(`Cannot connect to "${address}": it is no IP address`);
	const pinned = new URL(url);
	pinned.hostname = bare.includes(":") ? `[${bare}]` : bare;
	return pinned.href;
}

function isLiteral({ hostname }: URL): boolean {
	return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
