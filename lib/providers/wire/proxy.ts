/** Whether a request goes through a proxy, by the rules of NO_PROXY. */

import type { Network } from "../provider.ts";

/** What `fetch` has to be told for `url`; empty leaves it to the runtime, which reads the variables of the process. */
export function viaProxy(url: URL, network: Network | undefined): { readonly proxy?: string | false } {
	const proxy = url.protocol === "https:" ? network?.httpsProxy : network?.httpProxy;
	if (proxy === undefined) return {};
	return { proxy: isExempt(url, network?.noProxy ?? "") ? false : proxy };
}

/** Names of the machine itself are never reached through a proxy: a local model's key and text stay here. */
function isExempt({ hostname, port }: URL, list: string): boolean {
	const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
	if (host === "localhost" || host === "::1" || /^127\./.test(host)) return true;
	return list.split(/[\s,]+/).some((entry) => entry !== "" && names(entry.toLowerCase(), host, port));
}

function names(entry: string, host: string, port: string): boolean {
	if (entry === "*") return true;
	const [, name = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
	if (wantedPort !== undefined && wantedPort !== port) return false;
	const domain = name.replace(/^\*?\./, "");
	return host === domain || host.endsWith(`.${domain}`);
}
