/** `hermes mcp remove`: its tools are gone with the next turn, and what a login brought with it. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Takes an entry out of config.yaml. */
export const remove = defineAction({
	summary: "Remove an MCP server",
	operands: "<NAME>",
	completes: "mcp-servers",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ changeServers }, { secretsLeft }, { loginFiles }] = await Promise.all([
			import("./change-servers.ts"),
			import("./kept-secrets.ts"),
			import("../../mcp/auth/login-files.ts"),
		]);
		const { hermesHome } = cli.environment;
		const entry = await changeServers(hermesHome, { name });
		// Whatever its address was: another server of that name is not to find them.
		loginFiles(hermesHome, { name, url: "" }).forget("everything");
		const left = secretsLeft(hermesHome, entry);
		cli.stdout.write(`Removed ${name}${left.length === 0 ? "" : `; ${left.join(", ")} stays in .env`}\n`);
		return exitCodes.ok;
	},
});
