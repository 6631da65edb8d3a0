/** `hermes checkpoints clear`: the checkpoints of a folder, or all of them, go for good. */

import { z } from "zod";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { folderOf, openScene, orFail } from "./open-folder.ts";

/** Removes checkpoints, whatever their age. */
export const clear = defineAction({
	summary: "Remove the checkpoints of the current folder, or all",
	flags: placeFlags.extend({
		...jsonFlag.shape,
		all: z.boolean().default(false).meta({ description: "The checkpoints of every folder" }),
	}),

	async run({ flags }, cli) {
		await using scene = await openScene(cli, flags);
		const { place, store, limits } = scene;
		const [{ listCheckpoints }, { clearCheckpoints }] = await Promise.all([
			import("../../files/checkpoints/history.ts"),
			import("../../files/checkpoints/prune.ts"),
		]);
		const root = flags.all ? undefined : (await folderOf(scene)).root;
		const history = root === undefined ? undefined : orFail(await listCheckpoints(place, store, { root }));
		const { removed } = orFail(await clearCheckpoints(place, store, { limits, ...(history && { key: history.key }) }));
		const about = root === undefined ? "all folders" : root;
		if (flags.json) cli.stdout.write(`${JSON.stringify({ removed, directory: root ?? null })}\n`);
		else cli.stdout.write(`Removed ${removed} checkpoints of ${about}\n`);
		return exitCodes.ok;
	},
});
