/** `hermes mcp remove`: its tools are gone with the next session. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Takes an entry out of config.yaml. */
export const remove = defineAction({
	summary: "Remove an MCP server",
	operands: "<NAME>",
	completes: "mcp servers",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const { changeServers } = await import("./change-servers.ts");
		await changeServers(cli.environment.hermesHome, { name });
		cli.stdout.write(`Removed ${name}\n`);
		return exitCodes.ok;
	},
});
