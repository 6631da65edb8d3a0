/** Which proxy a request goes through, by the variables that every program reads. */

type Variables = Readonly<Record<string, string>>;

/** The proxy's address, or false when the host is asked directly. */
export function proxyFor(url: URL, variables: Variables): string | false {
	const names = url.protocol === "https:" ? ["https_proxy", "all_proxy"] : ["http_proxy", "all_proxy"];
	const proxy = names.map((name) => read(variables, name)).find((value) => value !== "");
	if (proxy === undefined || isExempt(url, read(variables, "no_proxy"))) return false;
	return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Small letters first: a web server passes the header `Proxy:` to CGI programs as HTTP_PROXY. */
function read(variables: Variables, name: string): string {
	return (variables[name] || variables[name.toUpperCase()] || "").trim();
}

/** `NO_PROXY`: names with everything below them, addresses, an optional port, `*` for all. */
function isExempt(url: URL, list: string): boolean {
	const host = url.hostname.replace(/\.+$/, "").replace(/^\[|\]$/g, "");
	const port = url.port || (url.protocol === "https:" ? "443" : "80");
	return list
		.split(/[\s,]+/)
		.filter(Boolean)
		.some((entry) => {
			if (entry === "*") return true;
			const [, bracketed, plain, only] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
			const bare = (bracketed ?? plain ?? entry).toLowerCase().replace(/^\*?\./, "");
			return (only === undefined || only === port) && (host === bare || host.endsWith(`.${bare}`));
		});
}
