/** `hermes doctor`: what is right and what is wrong with this installation, and what to do about it. */

import { z } from "zod";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Say what is wrong here, and what to do about it",
	details: [
		"Looks at folders, settings, keys (never shown), backends, tools and programs; starts and changes nothing.",
		"--fix makes missing folders and takes rights on private files away from others. Exits with 1 when something is broken.",
	].join("\n"),
	flags: jsonFlag.extend({
		fix: z.boolean().default(false).meta({ description: "Repair folders and file modes" }),
	}),

	async run({ flags: { json, fix } }, cli) {
		const [{ examine, repair }, { showFindings }] = await Promise.all([import("./examine.ts"), import("./report.ts")]);
		const found = await examine(cli);
		const findings = fix && repair(cli, found) ? await examine(cli) : found;
		showFindings(cli, findings, json);
		return findings.some(({ status }) => status === "failed") ? exitCodes.failure : exitCodes.ok;
	},
});
