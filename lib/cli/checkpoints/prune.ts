/** `hermes checkpoints prune`: what is too much or too old goes now. */

import { jsonFlag, placeFlags } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { openScene, orFail } from "./open-folder.ts";

/** Removes checkpoints by number, age and size. */
export const prune = defineAction({
	summary: "Remove checkpoints that are too many, too old or too large",
	details:
		"The limits are checkpoints.max_snapshots, retention_days and max_total_size_mb. It happens by itself once a day.",
	flags: placeFlags.extend(jsonFlag.shape),

	async run({ flags }, cli) {
		await using scene = await openScene(cli, flags);
		const { pruneCheckpoints } = await import("../../files/checkpoints/prune.ts");
		const pruned = orFail(await pruneCheckpoints(scene.place, scene.store, { limits: scene.limits }));
		if (pruned.isBusy)
			throw new CommandFailed("Cannot prune the checkpoints: another process is at it; try again when it has ended");
		const { scanned, deletedOrphans, deletedStale, removed, left, freedKilobytes, warning } = pruned;
		const bytesFreed = freedKilobytes * 1024;
		const folders = { scanned, deleted_orphan: deletedOrphans, deleted_stale: deletedStale };
		const errors = warning === undefined ? [] : [warning];
		if (flags.json)
			cli.stdout.write(`${JSON.stringify({ ...folders, removed, left, bytes_freed: bytesFreed, errors })}\n`);
		else {
			const gone = deletedOrphans > 0 ? `, all of ${deletedOrphans} folders that are gone` : "";
			cli.stdout.write(
				`Removed ${removed} checkpoints${gone}; ${left} are left, ${freedKilobytes} KB are free again\n`,
			);
			for (const error of errors) cli.stderr.write(`hermes: ${error}\n`);
		}
		return exitCodes.ok;
	},
});
