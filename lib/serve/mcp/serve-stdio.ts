/** Serves the one client that started us, until it closes our standard input. */

import { untilAborted } from "../../base/abort.ts";
import { reasonOf } from "../../base/attempt.ts";
import type { Logger } from "../../log/logger.ts";
import { openMcpServer } from "./mcp-server.ts";
import type { Served } from "./served.ts";
import { openStdioTransport, type StdioOptions } from "./stdio-transport.ts";

/** What is served, and to whom. */
export interface ServeStdioOptions extends StdioOptions {
	readonly served: Served;
	/** Ends it from our side. */
	readonly signal: AbortSignal;
	readonly log: Logger;
}

/** Returns when everything that was opened for the client is closed again. */
export async function serveStdio({ served, signal, log, ...wire }: ServeStdioOptions): Promise<void> {
	const transport = await openStdioTransport(wire);
	await using open = await openMcpServer(served, (error) => log.warning(reasonOf(error)));
	await open.server.connect(transport);
	try {
		await untilAborted(transport.ended, signal);
	} catch (cause) {
		if (!signal.aborted) throw cause;
	}
}
