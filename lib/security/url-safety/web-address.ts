/** The address of a web page as it will be asked for, or why it is not one. */

/** A parsed address. `host` is in lower case, in ASCII, and without the dot at its end. */
export type WebAddress =
	| { readonly ok: true; readonly url: URL; readonly host: string }
	| { readonly ok: false; readonly reason: string };

const longest = 8_192;

/**
 * Parses `text` as browsers do, so that decimal, octal and hexadecimal hosts, full-width digits and IDN come out as the one
 * form that is connected to; `base` is the page that a redirect came from. Only the result may be used afterwards: a second
 * parser could read another host.
 */
export function parseWebAddress(text: string, base?: URL): WebAddress {
	if (text.length > longest) return refused(`it has more than ${longest} characters`);
	const url = URL.parse(text.trim(), base?.href);
	if (url === null) return refused("it is not a complete address such as https://example.org/page");
	if (url.protocol !== "http:" && url.protocol !== "https:") return refused(`${url.protocol} is not http or https`);
	if (url.username !== "" || url.password !== "") return refused("it has a user name or password in front of the host");
	const host = url.hostname.replace(/\.+$/, "");
	if (host === "") return refused("it has no host");
	url.hash = "";
	return { ok: true, url, host };
}

function refused(reason: string): WebAddress {
	return { ok: false, reason };
}
