/** Addresses and keys that can be used, or one sentence about what is wrong with them. */

import { ProviderRefused } from "./provider.ts";

/** `keyName` is where a key belongs that was put into the address. */
export function checkedUrl(text: string, keyName: string): string {
	const url = URL.parse(text.trim());
	if (url === null || !["http:", "https:"].includes(url.protocol)) {
		throw new ProviderRefused(
			"settings",
			`Cannot use the base URL ${JSON.stringify(text)}: it is not an http or https address`,
		);
	}
	if (url.username !== "" || url.password !== "") {
		throw new ProviderRefused("settings", `Cannot use the base URL: it holds a password; give the key in ${keyName}`);
	}
	if (url.search !== "" || url.hash !== "") {
		throw new ProviderRefused(
			"settings",
			`Cannot use the base URL ${JSON.stringify(text)}: it may not have a query or a fragment`,
		);
	}
	return url.href.replace(/\/+((chat\/completions|responses|v1\/messages)\/*)?$/, "");
}

/** A key with other characters than these cannot be sent in a header (#6843). */
export function checkedKey(key: string, keyName: string): string {
	const trimmed = key.trim();
	if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
	throw new ProviderRefused(
		"settings",
		`Cannot use the key in ${keyName}: it is empty or has characters that no key has; copy it again`,
	);
}
