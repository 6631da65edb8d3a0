/** Small MCP servers for benches, opened by us and by the SDK's own client. */

import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { silentLogger } from "../lib/log/logger.ts";
import { openServers } from "../lib/mcp/open-servers.ts";
import { createRegistry, type Registry } from "../lib/registry/registry.ts";

const program = join(import.meta.dir, "../test/support/mcp-faulty-server.ts");

/** An entry of `mcp_servers`. */
export interface Entry {
	readonly command: string;
	readonly args: string[];
	readonly env: Record<string, string>;
}

/** A server with as many tools, each with a few arguments. */
export function serverWith(tools: number): Entry {
	const properties = {
		path: { type: "string", description: "A path" },
		count: { type: "integer", minimum: 1, description: "How many" },
		flags: { type: "array", items: { type: "string" } },
	};
	const offered = Array.from({ length: tools }, (_each, index) => ({
		name: `tool_${index}`,
		description: `Does what tool number ${index} of this server does, and says how it went`,
		inputSchema: { type: "object", properties, required: [] },
	}));
	return { command: process.execPath, args: [program], env: { TOOLS: JSON.stringify(offered) } };
}

/** All of them, with their tools in a registry. */
export async function openOurs(entries: readonly Entry[]): Promise<AsyncDisposable & { readonly registry: Registry }> {
	const registry = createRegistry([]);
	const servers = Object.fromEntries(entries.map((entry, index) => [`s${index}`, entry]));
	const variables = { PATH: process.env.PATH ?? "" };
	const opened = await openServers({ servers, variables, registry, log: silentLogger, waitMs: 60_000 });
	return { registry, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** All of them, connected at once. */
export async function openTheirs(
	entries: readonly Entry[],
): Promise<AsyncDisposable & { readonly clients: readonly Client[] }> {
	const [{ Client }, { StdioClientTransport }] = await Promise.all([
		import("@modelcontextprotocol/sdk/client/index.js"),
		import("@modelcontextprotocol/sdk/client/stdio.js"),
	]);
	const connect = async ({ command, args, env }: Entry) => {
		const client = new Client({ name: "bench", version: "1" });
		await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }));
		return client;
	};
	const clients = await Promise.all(entries.map(connect));
	return {
		clients,
		async [Symbol.asyncDispose]() {
			await Promise.all(clients.map((client) => client.close()));
		},
	};
}
