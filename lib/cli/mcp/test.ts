/** `hermes mcp test`: connects one server, shows its tools, and ends it. */

import type { OfferedTool } from "../../mcp/server-tools.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Tools of one server, or why there are none. */
export const test = defineAction({
	summary: "Connect an MCP server and show its tools",
	operands: "<NAME>",
	completes: "mcp-servers",
	flags: jsonFlag,

	async run({ flags: { json }, operands: [name = ""] }, cli) {
		const [{ readServerSettings }, { openSettings }, { probeServers }, { shownLines }] = await Promise.all([
			import("../../mcp/server-settings.ts"),
			import("../runtime/settings.ts"),
			import("./probe-servers.ts"),
			import("./shown-server.ts"),
		]);
		const config = await openSettings(cli, {});
		const servers = config.get("mcp_servers");
		if (!Object.hasOwn(servers, name)) {
			const known = Object.keys(servers).join(", ") || "none";
			throw new CommandFailed(`Cannot test MCP server "${name}": it is not in config.yaml; there is ${known}`);
		}
		const read = readServerSettings(servers[name]);
		if (!read.ok) throw new CommandFailed(`Cannot test MCP server "${name}": ${read.reason}`);
		// Also one that is switched off: that is what a test is for.
		const entry = { ...toRecord(servers[name]), enabled: true };
		const waitMs = (read.settings.connect_timeout * 2 + 1) * 1_000;
		const [status] = await probeServers(cli, config, { servers: { [name]: entry }, waitMs });
		if (status === undefined || status.state !== "connected" || status.problem !== undefined) {
			throw new CommandFailed(`Cannot use MCP server "${name}": ${status?.problem ?? "it is not there"}`);
		}
		const { tools, leftOut, warnings, transport } = status;
		if (json)
			cli.stdout.write(
				`${JSON.stringify({ name, transport, tools: tools.map(toolRow), leftOut, warnings }, null, 2)}\n`,
			);
		else {
			const lines = [
				`${name}: ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`,
				...tools.map((tool) => `  ${tool.ownName}`),
				...leftOut.map((tool) => `  left out: ${tool.name}: ${tool.reason}`),
				...warnings.map((warning) => `  ${warning}`),
			];
			cli.stdout.write(shownLines(lines));
		}
		return exitCodes.ok;
	},
});

function toRecord(written: unknown): object {
	return typeof written === "object" && written !== null ? written : {};
}

function toolRow({ name, ownName, description }: OfferedTool) {
	return { name: ownName, calledAs: name, description };
}
