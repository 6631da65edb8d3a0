/** `hermes checkpoints status`: everything that is kept, and how much it takes. */

import { shownTime } from "../../base/shown-time.ts";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";
import { openScene, orFail } from "./open-folder.ts";

/** Every folder that has checkpoints. */
export const status = defineAction({
	summary: "Show whose folders are kept, and how much that takes",
	flags: placeFlags.extend(jsonFlag.shape),

	async run({ flags }, cli) {
		await using scene = await openScene(cli, flags);
		const { storeStatus } = await import("../../files/checkpoints/history.ts");
		const state = orFail(await storeStatus(scene.place, scene.store));
		const folders = state.folders.map(({ root, exists, count, newestAt }) => ({
			directory: root,
			exists,
			checkpoints: count,
			newest: newestAt === 0 ? null : new Date(newestAt).toISOString(),
		}));
		if (flags.json) {
			const { folder: store, kilobytes, git } = state;
			const facts = { enabled: scene.isEnabled, ran_on: scene.ranOn, git, store, bytes: kilobytes * 1024 };
			cli.stdout.write(`${JSON.stringify({ ...facts, folders }, null, 2)}\n`);
			return exitCodes.ok;
		}
		const megabytes = (state.kilobytes / 1024).toFixed(1);
		cli.stdout.write(`Checkpoints are ${scene.isEnabled ? "on" : "off (checkpoints.enabled)"} · ${state.git}\n`);
		cli.stdout.write(
			`${visible(state.folder)} (${scene.ranOn}): ${megabytes} MB of ${scene.limits.maxTotalMegabytes} MB\n`,
		);
		for (const { root, exists, count, newestAt } of state.folders) {
			const newest = newestAt === 0 ? "" : `  newest ${shownTime(newestAt)}`;
			cli.stdout.write(
				`${String(count).padStart(5)}  ${visible(root)}${newest}${exists ? "" : "  (the folder is gone)"}\n`,
			);
		}
		return exitCodes.ok;
	},
});
