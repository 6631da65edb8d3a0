/** `hermes config path`: where the files are. */

import { z } from "zod";
import { configPath, envPath } from "../../config/files.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Where the files are. */
export const path = defineAction({
	summary: "Print where config.yaml is",
	flags: z.object({ env: z.boolean().default(false).meta({ description: "Print where .env is" }) }),

	async run({ flags: { env } }, cli) {
		const { hermesHome } = cli.environment;
		cli.stdout.write(`${env ? envPath(hermesHome) : configPath(hermesHome)}\n`);
		return exitCodes.ok;
	},
});
