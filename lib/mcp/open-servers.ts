/** Connects every configured MCP server at once and registers what they offer. */

import type { Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { reasonOf } from "../base/attempt.ts";
import { settledWithin } from "../base/settled-within.ts";
import type { Logger } from "../log/logger.ts";
import { foreignTool } from "../registry/foreign-tool.ts";
import type { Registry } from "../registry/registry.ts";
import { sanitizeSchema } from "../registry/schema/sanitize.ts";
import { type Tool, toolError } from "../registry/tool.ts";
import { findThreats } from "../security/threats/find-threats.ts";
import { answerOf } from "./call-result.ts";
import { Connection } from "./connection.ts";
import { readServerSettings, type ServerSettings } from "./server-settings.ts";
import { mcpToolName } from "./tool-names.ts";

/** What servers are opened with. */
export interface OpenServersOptions {
	/** `mcp_servers` as config.yaml has it. */
	readonly servers: Readonly<Record<string, unknown>>;
	readonly variables: Readonly<Record<string, string>>;
	readonly registry: Registry;
	readonly log: Logger;
	/** How long the start waits; a server that is later adds its tools when it is there. */
	readonly waitMs?: number;
}

const startWaitMs = 5_000;

/** Disposing what is returned ends every server. Never throws: what is wrong with a server goes to the log. */
export async function openServers(options: OpenServersOptions): Promise<AsyncDisposable> {
	const { servers, variables, log, waitMs = startWaitMs } = options;
	const connections: Connection[] = [];
	const starts = Object.entries(servers).map(async ([name, written]) => {
		const read = readServerSettings(written);
		const ownLog = log.named(`mcp.${name}`);
		if (!read.ok) return ownLog.warning(`Cannot use MCP server "${name}": ${read.reason}`);
		if (!read.settings.enabled) return;
		const connection = new Connection({ name, settings: read.settings, variables, log: ownLog });
		connections.push(connection);
		try {
			const listed = wantedTools(await connection.tools(), read.settings.tools);
			registerTools({ ...options, log: ownLog }, { name, connection, listed });
		} catch (cause) {
			ownLog.warning(reasonOf(cause));
		}
	});
	await settledWithin(Promise.all(starts), waitMs);
	return {
		async [Symbol.asyncDispose]() {
			await Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]()));
		},
	};
}

/** Those that were asked for by their own names; a list of wanted ones wins over one of unwanted ones. */
export function wantedTools<T extends { readonly name: string }>(
	tools: readonly T[],
	{ include, exclude = [] }: Pick<ServerSettings["tools"], "include" | "exclude">,
): T[] {
	return tools.filter(({ name }) => (include === undefined ? !exclude.includes(name) : include.includes(name)));
}

interface Opened {
	readonly name: string;
	readonly connection: Connection;
	readonly listed: readonly ListedTool[];
}

function registerTools({ registry, log }: Pick<OpenServersOptions, "registry" | "log">, opened: Opened): void {
	for (const listed of opened.listed) {
		const name = mcpToolName(opened.name, listed.name, (taken) => registry.get(taken) !== undefined);
		for (const { what } of findThreats(JSON.stringify(listed), "all")) log.warning(`tool "${listed.name}": ${what}`);
		const refusal = registry.register(toolOf(name, listed, opened));
		if (refusal !== undefined) log.warning(refusal);
	}
	log.info(`${opened.listed.length} tools`);
}

function toolOf(name: string, listed: ListedTool, { name: server, connection }: Opened): Tool {
	return foreignTool({
		name,
		toolset: `mcp-${server}`,
		description: listed.description || `MCP tool ${listed.name} from ${server}`,
		parameters: sanitizeSchema(listed.inputSchema),
		source: { kind: "mcp", name: server },
		isUntrusted: true,
		async run(args, { signal }) {
			try {
				return answerOf(await connection.call(listed.name, args, signal));
			} catch (cause) {
				return toolError(reasonOf(cause));
			}
		},
	});
}
