/** `hermes mcp list`: every configured server, whether it can be reached, and how many tools it brings. */

import { z } from "zod";
import { longestTimerSeconds } from "../../base/longest-timer.ts";
import type { ServerStatus } from "../../mcp/open-server.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** How long a server may take to be called reachable: longer than a session waits, shorter than a person. */
const usualSeconds = 20;

/** Servers with their state. */
export const list = defineAction({
	summary: "List the MCP servers, their tools and what is wrong with them",
	details: "Every enabled server is connected for a moment. --offline shows what is configured and connects nothing.",
	flags: jsonFlag.extend({
		offline: z.boolean().default(false).meta({ description: "Connect nothing" }),
		timeout: z.coerce
			.number()
			.positive()
			.max(longestTimerSeconds)
			.default(usualSeconds)
			.meta({ value: "S", description: `Seconds until a server counts as missing (default: ${usualSeconds})` }),
	}),

	async run({ flags: { json, offline, timeout } }, cli) {
		const [{ openSettings }, { probeServers }, { withoutProbe }, { lineOf, rowOf }] = await Promise.all([
			import("../runtime/settings.ts"),
			import("./probe-servers.ts"),
			import("../../mcp/configured-servers.ts"),
			import("./shown-server.ts"),
		]);
		const config = await openSettings(cli, {});
		const servers = config.get("mcp_servers");
		const statuses: readonly ServerStatus[] = offline
			? withoutProbe(servers)
			: await probeServers(cli, config, { servers, waitMs: timeout * 1_000 });
		const rows = statuses.map((status) => rowOf(status, servers[status.name]));
		if (json) cli.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
		else cli.stdout.write(rows.length === 0 ? "There is no MCP server in config.yaml\n" : rows.map(lineOf).join(""));
		return exitCodes.ok;
	},
});
