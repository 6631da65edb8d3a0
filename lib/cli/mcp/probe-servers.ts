/** Connects servers to look at them: nothing they offer reaches a session. */

import type { LoadedConfig } from "../../config/load.ts";
import { silentLogger } from "../../log/logger.ts";
import type { ServerStatus } from "../../mcp/open-server.ts";
import { createRegistry } from "../../registry/registry.ts";
import { serverParts } from "../runtime/mcp-servers.ts";
import type { Cli } from "../subcommand.ts";

/** How `servers` are once each has been tried, at most `waitMs` later; all are ended again. */
export async function probeServers(
	cli: Cli,
	config: LoadedConfig,
	{ servers, waitMs }: { readonly servers: Readonly<Record<string, unknown>>; readonly waitMs: number },
): Promise<readonly ServerStatus[]> {
	const { openServers } = await import("../../mcp/open-servers.ts");
	const registry = createRegistry([]);
	await using opened = await openServers({
		...serverParts(cli, config),
		servers,
		registry,
		log: silentLogger,
		waitMs,
	});
	return opened.statuses();
}
