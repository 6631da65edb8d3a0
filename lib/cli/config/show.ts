/** `hermes config show`: every setting that is in use or set, and where it comes from. */

import { z } from "zod";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** For what shows settings. */
export const originFlag = z.boolean().default(false).meta({ description: "Say where each value comes from" });

/** Every setting that matters, as a table or as JSON. */
export const show = defineAction({
	summary: "Show the settings",
	details: "Shows the keys that something uses or that are set; --all shows every key there is. Secrets are masked.",
	flags: jsonFlag.extend({
		origin: originFlag,
		all: z.boolean().default(false).meta({ description: "Show every key" }),
	}),

	async run({ flags: { json, origin, all } }, cli) {
		const [{ openConfig }, { shownSettings }] = await Promise.all([
			import("./open-config.ts"),
			import("./shown-settings.ts"),
		]);
		const config = await openConfig(cli);
		for (const warning of config.warnings) cli.stderr.write(`hermes: ${warning}\n`);
		const rows = shownSettings(config).filter(
			(row) => all || row.origin !== "default" || config.schema.find(row.key)?.key.used === true,
		);
		const shown = origin ? rows : rows.map(({ origin: _, ...row }) => row);
		cli.stdout.write(
			json ? `${JSON.stringify(shown, null, 2)}\n` : (await import("./settings-table.ts")).table(rows, origin),
		);
		return exitCodes.ok;
	},
});
