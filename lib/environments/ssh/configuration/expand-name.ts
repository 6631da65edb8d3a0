/** Fills in the parts of a file name in ssh_config. */

/** What the tokens of a name stand for. */
export interface NameParts {
	readonly home: string;
	readonly host: string;
	readonly port: number;
	readonly user: string;
	readonly localUser: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** `~`, `${NAME}` and the tokens `%d` home, `%h` host, `%p` port, `%r` user, `%u` local user, `%%`. */
export function expandName(name: string, parts: NameParts): string {
	const tokens: Readonly<Record<string, string>> = {
		d: parts.home,
		h: parts.host,
		p: String(parts.port),
		r: parts.user,
		u: parts.localUser,
		"%": "%",
	};
	return name
		.replace(/^~(?=\/|$)/, () => parts.home)
		.replace(/\$\{(\w+)\}/g, (_whole, variable: string) => parts.environment[variable] ?? "")
		.replace(/%(.)/g, (whole, token: string) => tokens[token] ?? whole);
}
