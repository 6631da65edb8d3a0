/** The list of websites that the user does not want to be visited. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { attempt } from "../../base/attempt.ts";
import { resolveHermesHome, userHome } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";

/** Domains in their compared form, and what could not be read. */
export interface Blocklist {
	readonly sites: readonly string[];
	readonly warnings: readonly string[];
}

/**
 * The domains of `security.website_blocklist`, those of its files included: one domain a line, `#` for comments. Relative files
 * are looked for in HERMES_HOME. A file that cannot be read is a warning, not an error.
 */
export function readBlocklist({ get, variables }: Pick<LoadedConfig, "get" | "variables">): Blocklist {
	if (!get("security.website_blocklist.enabled")) return { sites: [], warnings: [] };
	const home = resolveHermesHome(variables);
	const warnings: string[] = [];
	const shared = get("security.website_blocklist.shared_files").flatMap((file) => {
		const path = resolve(
			home,
			file.replace(/^~(?=\/|$)/, () => userHome(variables)),
		);
		const text = attempt(() => readFileSync(path, "utf8"));
		if (!text.ok) warnings.push(`the list of blocked websites "${path}" cannot be read: ${text.reason}`);
		return text.ok ? text.value.split("\n") : [];
	});
	const sites = [...get("security.website_blocklist.domains"), ...shared].flatMap(comparedForm);
	return { sites: [...new Set(sites)], warnings };
}

/** Whether `host` is one of `sites` or below one; `*.example.org` means the names below it alone. */
export function isBlockedSite(host: string, sites: readonly string[]): boolean {
	const name = withoutWww(host.toLowerCase());
	return sites.some((site) =>
		site.startsWith("*.") ? name.endsWith(site.slice(1)) : name === site || name.endsWith(`.${site}`),
	);
}

/** Lines are written as people do: with a scheme, a path, capitals, in their own script. */
function comparedForm(line: string): string[] {
	const word = line.replace(/#.*/, "").trim();
	if (word === "") return [];
	const bare = word.replace(/^[a-z]+:\/\//i, "");
	const glob = bare.startsWith("*.") ? "*." : "";
	const host = URL.parse(`http://${bare.slice(glob.length)}`)?.hostname.replace(/\.+$/, "");
	return host === undefined || host === "" ? [] : [glob + (glob === "" ? withoutWww(host) : host)];
}

function withoutWww(host: string): string {
	return host.replace(/^www\./, "");
}
