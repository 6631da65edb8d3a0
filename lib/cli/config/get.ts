/** `hermes config get`: one setting, or all below one section. */

import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { originFlag } from "./show.ts";

export const get = defineAction({
	summary: "Print one setting",
	details: "KEY is a path such as agent.max_turns, or a section. Secrets are masked.",
	operands: "KEY",
	flags: jsonFlag.extend({ origin: originFlag }),

	async run({ flags: { json, origin }, operands: [key = ""] }, cli) {
		const [{ openConfig, refuseUnknown }, { allPaths, shownSettings, valueText }, { table }] = await Promise.all([
			import("./open-config.ts"),
			import("./shown-settings.ts"),
			import("./settings-table.ts"),
		]);
		const config = await openConfig(cli);
		const path = key === "model" ? "model.default" : (config.schema.find(key)?.path ?? key);
		const [row] = shownSettings(config, [path]);
		if (row) {
			if (row.problem !== undefined) throw new CommandFailed(row.problem);
			const value = json ? JSON.stringify(row.value ?? null) : valueText(row.value);
			const both = json ? JSON.stringify(row) : `${value}  (${row.origin})`;
			cli.stdout.write(`${origin ? both : value}\n`);
			return exitCodes.ok;
		}
		const below = [...allPaths(config)].filter((known) => known.startsWith(`${key}.`));
		if (below.length === 0) refuseUnknown(key, config.schema);
		const rows = shownSettings(config, below);
		const shown = origin ? rows : rows.map(({ origin: _, ...rest }) => rest);
		cli.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : table(rows, origin));
		return exitCodes.ok;
	},
});
