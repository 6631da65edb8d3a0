/** `hermes mcp test`: starts one server, lists its tools, and ends it. */

import { attemptAsync } from "../../base/attempt.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Tools of one server, or why there are none. */
export const test = defineAction({
	summary: "Start an MCP server and show its tools",
	operands: "<NAME>",
	flags: jsonFlag,

	async run({ flags: { json }, operands: [name = ""] }, cli) {
		const [{ readServerSettings }, { openSettings }, { Connection }, { silentLogger }, { wantedTools }] =
			await Promise.all([
				import("../../mcp/server-settings.ts"),
				import("../runtime/settings.ts"),
				import("../../mcp/connection.ts"),
				import("../../log/logger.ts"),
				import("../../mcp/open-servers.ts"),
			]);
		const config = await openSettings(cli, {});
		const servers = config.get("mcp_servers");
		if (!Object.hasOwn(servers, name)) {
			const known = Object.keys(servers).join(", ") || "none";
			throw new CommandFailed(`Cannot test MCP server "${name}": it is not in config.yaml; there is ${known}`);
		}
		const read = readServerSettings(servers[name]);
		if (!read.ok) throw new CommandFailed(`Cannot test MCP server "${name}": ${read.reason}`);
		const { settings } = read;
		await using connection = new Connection({ name, settings, variables: config.variables, log: silentLogger });
		const listed = await attemptAsync(() => connection.tools());
		if (!listed.ok) throw new CommandFailed(listed.reason);
		const tools = wantedTools(listed.value, settings.tools).map((tool) => tool.name);
		if (json) cli.stdout.write(`${JSON.stringify({ name, tools }, null, 2)}\n`);
		else cli.stdout.write(`${name}: ${tools.length} tools\n${tools.map((tool) => `  ${tool}\n`).join("")}`);
		return exitCodes.ok;
	},
});
