/** Names of the tools of MCP servers: never two the same, never longer than providers allow. */

const longest = 64;

/** `mcp_<server>_<tool>`; one that is `taken` or too long ends in a hash of what it stands for. */
export function mcpToolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
	const name = `mcp_${plain(server)}_${plain(tool)}`;
	if (name.length <= longest && !isTaken(name)) return name;
	const hash = new Bun.CryptoHasher("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 8);
	return `${name.slice(0, longest - hash.length - 1)}_${hash}`;
}

function plain(text: string): string {
	return text.replace(/[^A-Za-z0-9_]/g, "_");
}
