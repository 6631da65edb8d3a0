/** The rules for addresses as the settings say them. */

import type { LoadedConfig } from "../../config/load.ts";
import type { UrlRules } from "./url-guard.ts";
import { readBlocklist } from "./website-blocklist.ts";

/** The rules, and what of the settings could not be used. */
export interface ReadRules {
	readonly rules: UrlRules;
	readonly warnings: readonly string[];
}

/**
 * HERMES_ALLOW_PRIVATE_URLS beats `security.allow_private_urls`; the key of the browser counts when neither is set. Without
 * settings nothing private is allowed.
 */
export function readUrlRules(settings: Pick<LoadedConfig, "get" | "find" | "variables"> | undefined): ReadRules {
	if (settings === undefined) return { rules: { allowPrivate: false, blockedSites: [] }, warnings: [] };
	const isUnset = settings.find("security.allow_private_urls")?.origin.kind === "default";
	const key = isUnset ? "browser.allow_private_urls" : "security.allow_private_urls";
	const { sites, warnings } = readBlocklist(settings);
	return { rules: { allowPrivate: settings.get(key), blockedSites: sites }, warnings };
}
