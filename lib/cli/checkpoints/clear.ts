/** `hermes checkpoints clear`: the checkpoints of a folder, or all of them, go for good. */

import { z } from "zod";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { isAgreed } from "../runtime/agreed.ts";
import { defineAction } from "../subcommand.ts";
import { folderOf, openScene, orFail } from "./open-folder.ts";

/** Removes checkpoints, whatever their age. Asked first at a terminal; elsewhere `--yes` must be said. */
export const clear = defineAction({
	summary: "Remove the checkpoints of the current folder, or all",
	flags: placeFlags.extend({
		...jsonFlag.shape,
		all: z.boolean().default(false).meta({ description: "The checkpoints of every folder" }),
		yes: z.boolean().default(false).meta({ short: "y", description: "Do not ask" }),
	}),

	async run({ flags }, cli) {
		await using scene = await openScene(cli, flags);
		const { place, store, limits } = scene;
		const [{ listCheckpoints }, { clearCheckpoints }] = await Promise.all([
			import("../../files/checkpoints/history.ts"),
			import("../../files/checkpoints/prune.ts"),
		]);
		const root = flags.all ? undefined : (await folderOf(scene)).root;
		const about = root === undefined ? "all folders" : root;
		if (!(await isAgreed(cli, `Remove the checkpoints of ${about} for good?`, flags))) {
			cli.stderr.write("Nothing was removed\n");
			return exitCodes.failure;
		}
		const history = root === undefined ? undefined : orFail(await listCheckpoints(place, store, { root }));
		const { removed } = orFail(await clearCheckpoints(place, store, { limits, ...(history && { key: history.key }) }));
		if (flags.json) cli.stdout.write(`${JSON.stringify({ removed, directory: root ?? null })}\n`);
		else cli.stdout.write(`Removed ${removed} checkpoints of ${about}\n`);
		return exitCodes.ok;
	},
});
