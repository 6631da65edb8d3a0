/** `hermes mcp list`: what is configured, without starting any of it. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** One server, as `--json` prints it. */
interface Row {
	readonly name: string;
	readonly enabled: boolean;
	readonly command?: string;
	/** Why it cannot be used. */
	readonly problem?: string;
}

/** Servers with their state. */
export const list = defineAction({
	summary: "List the MCP servers",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const [{ readServerSettings }, { openSettings }] = await Promise.all([
			import("../../mcp/server-settings.ts"),
			import("../runtime/settings.ts"),
		]);
		const servers = (await openSettings(cli, {})).get("mcp_servers");
		const rows = Object.entries(servers).map(([name, written]): Row => {
			const read = readServerSettings(written);
			if (!read.ok) return { name, enabled: false, problem: read.reason };
			return { name, enabled: read.settings.enabled, command: read.settings.command };
		});
		if (json) cli.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
		else cli.stdout.write(rows.length === 0 ? "There is no MCP server in config.yaml\n" : rows.map(lineOf).join(""));
		return exitCodes.ok;
	},
});

function lineOf({ name, enabled, command, problem }: Row): string {
	if (problem !== undefined) return `${name}  cannot be used: ${problem}\n`;
	return `${name}  ${enabled ? "enabled" : "disabled"}  ${command}\n`;
}
