/** `hermes mcp add`: a server that is started as a process. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** A new entry of config.yaml; nothing is started yet. */
export const add = defineAction({
	summary: "Add an MCP server",
	details: "The command runs with your rights in every session from now on. `hermes mcp test NAME` tries it.",
	operands: "<NAME> <COMMAND> [ARGS...]",
	flags: z.object({}),

	async run({ operands: [name = "", command = "", ...args] }, cli) {
		const [{ changeServers }, { readServerSettings }] = await Promise.all([
			import("./change-servers.ts"),
			import("../../mcp/server-settings.ts"),
		]);
		if (!/^[A-Za-z0-9_-]+$/.test(name)) {
			throw new CommandFailed(`Cannot add MCP server "${name}": a name has letters, digits, - and _ only`);
		}
		const entry = { command, args };
		const read = readServerSettings(entry);
		if (!read.ok) throw new CommandFailed(`Cannot add MCP server "${name}": ${read.reason}`);
		await changeServers(cli.environment.hermesHome, { name, entry });
		cli.stdout.write(`Added ${name}\n`);
		return exitCodes.ok;
	},
});
