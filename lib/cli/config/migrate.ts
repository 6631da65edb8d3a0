/** `hermes config migrate`: settings of an older layout go to where they are looked for now. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Moves them, and keeps the file as it was. */
export const migrate = defineAction({
	summary: "Bring an older config.yaml to the layout of now",
	details:
		"Values stay as they are, and comments too but at what moves; the file as it was stays beside it. Exits with 1 when something has to be decided by hand.",
	flags: z.object({ dryRun: z.boolean().default(false).meta({ description: "Only say what would be moved" }) }),

	async run({ flags: { dryRun } }, cli) {
		const [{ isNeeded, migrateConfig }, { listed }] = await Promise.all([
			import("../../config/migrate/migrate.ts"),
			import("../../config/migrate/older-names.ts"),
		]);
		const home = cli.environment.hermesHome;
		const done = await migrateConfig(home, { now: new Date(), writes: !dryRun });
		const says = dryRun ? "would move" : "moved";
		for (const move of done.moves) cli.stdout.write(`${says} ${listed([move])}\n`);
		for (const { from, to } of done.left) {
			const [old, now] = [from.join("."), to.join(".")];
			cli.stdout.write(`left ${old}: what is at ${now} counts; remove one of them\n`);
		}
		if (!isNeeded(done)) cli.stdout.write("Nothing has to be moved.\n");
		if (done.backup !== undefined) cli.stdout.write(`The file as it was: ${done.backup}\n`);
		return done.left.length === 0 ? exitCodes.ok : exitCodes.failure;
	},
});
