/** Who may speak to a server on this machine: not the page of a stranger that a browser shows here (DNS rebinding). */

import { isIP } from "node:net";

/** Names by which clients reach the server, besides this machine's own and plain addresses; lower case. */
export type AllowedHosts = ReadonlySet<string>;

const ownNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * Why a request is refused; undefined when its headers are right. A page that has its own name resolve to this machine still
 * sends that name as the host; an address as the host cannot come about so. A page of another origin says which.
 */
export function callerProblem(headers: Headers, allowed: AllowedHosts): string | undefined {
	const host = hostOf(`http://${headers.get("host") ?? ""}`);
	if (host === undefined || !isAllowedHost(host, allowed)) {
		return "Host is not allowed here; whoever runs this server can allow it with --allow-host";
	}
	const origin = headers.get("origin");
	if (origin === null) return undefined;
	const from = hostOf(origin);
	if (from !== undefined && (ownNames.has(from) || allowed.has(from))) return undefined;
	return "Origin is not allowed here; whoever runs this server can allow it with --allow-host";
}

function isAllowedHost(host: string, allowed: AllowedHosts): boolean {
	return ownNames.has(host) || allowed.has(host) || isIP(host) !== 0;
}

/** Lower case, without port and brackets. */
function hostOf(address: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	const { hostname, protocol } = new URL(address);
	if (protocol !== "http:" && protocol !== "https:") return undefined;
	return hostname.replace(/^\[|\]$/g, "") || undefined;
}
