/** How requests leave this machine, as the usual variables say it; `.env` counts like the environment of the process. */

import { readFileSync } from "node:fs";
import { systemReason } from "../base/system-reason.ts";
import { type Network, ProviderRefused } from "./provider.ts";

/** Files of authorities to trust besides the usual ones: Node's name first, then those that other programs know. */
const authorityNames = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"] as const;

/**
 * Names in capitals and in small letters mean the same.
 * @throws {ProviderRefused} When an address is none, or the file of authorities cannot be read.
 */
export function networkOf(variables: Readonly<Record<string, string>>): Network {
	const find = (name: string) => (variables[name] || variables[name.toLowerCase()] || "").trim() || undefined;
	const all = find("ALL_PROXY");
	const httpProxy = proxy("HTTP_PROXY", find("HTTP_PROXY") ?? all);
	const httpsProxy = proxy("HTTPS_PROXY", find("HTTPS_PROXY") ?? all);
	const noProxy = find("NO_PROXY");
	const authorities = authoritiesIn(variables);
	return {
		...(httpProxy !== undefined && { httpProxy }),
		...(httpsProxy !== undefined && { httpsProxy }),
		...(noProxy !== undefined && { noProxy }),
		...(authorities !== undefined && { authorities }),
	};
}

function proxy(name: string, text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const url = URL.parse(text.includes("://") ? text : `http://${text}`);
	if (url !== null && ["http:", "https:"].includes(url.protocol)) return url.href;
	// Never the address itself: it may hold a password.
	throw new ProviderRefused("settings", `Cannot use ${name}: it is not the address of an http or https proxy`);
}

function authoritiesIn(variables: Readonly<Record<string, string>>): string | undefined {
	const name = authorityNames.find((each) => variables[each]?.trim());
	const path = name && variables[name]?.trim();
	if (!name || !path) return undefined;
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw new ProviderRefused("settings", `Cannot read "${path}" of ${name}: ${systemReason(cause)}`, { cause });
	}
}
