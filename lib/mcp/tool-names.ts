/** Names of the tools of MCP servers: never two the same, never longer than providers allow, and the same in every run. */

const longest = 64;

/**
 * A name for each of `tools`, the own names of one server's tools: `mcp_<server>_<tool>`. One that is too long, or that another
 * tool could have as well, ends in a hash of what it stands for. `servers` are all that are configured: which of them is
 * connected first changes no name.
 */
export function mcpToolNames(
	server: string,
	tools: Iterable<string>,
	servers: readonly string[] = [],
): ReadonlyMap<string, string> {
	const all = [...new Set(tools)];
	const own = new Set(all.filter((tool) => plain(tool) === tool));
	const names = new Map<string, string>();
	for (const tool of all.sort()) {
		const short = plain(tool);
		const isTaken = short !== tool && own.has(short);
		own.add(short);
		const isAmbiguous = servers.some((other) => other !== server && couldBeOf(other, { server, short }));
		names.set(tool, nameOf(server, tool, isTaken || isAmbiguous));
	}
	return names;
}

/** The name of a tool of ours for `server` that has another one's name: it ends in a hash that no tool of the server has. */
export function besideToolName(server: string, name: string): string {
	const hash = hashOf(`${server}\0\0${name}`);
	return `${`mcp_${plain(server)}_${plain(name)}`.slice(0, longest - hash.length - 1)}_${hash}`;
}

/** `a` with `b_c` and `a_b` with `c` would have one name; so would `a-b` and `a_b`. The longer server name has it, then the first. */
function couldBeOf(other: string, { server, short }: { readonly server: string; readonly short: string }): boolean {
	const [mine, theirs] = [plain(server), plain(other)];
	if (mine === theirs) return other < server;
	return theirs.length > mine.length && `${mine}_${short}`.startsWith(`${theirs}_`);
}

function nameOf(server: string, tool: string, withHash: boolean): string {
	const name = `mcp_${plain(server)}_${plain(tool)}`;
	if (name.length <= longest && !withHash) return name;
	const hash = hashOf(`${server}\0${tool}`);
	return `${name.slice(0, longest - hash.length - 1)}_${hash}`;
}

function hashOf(text: string): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 8);
}

function plain(text: string): string {
	return text.replace(/[^A-Za-z0-9_]/g, "_");
}
