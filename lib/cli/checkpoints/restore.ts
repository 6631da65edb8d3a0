/** `hermes checkpoints restore`: a folder, or some files of it, as they were. */

import { posix } from "node:path";
import { z } from "zod";
import type { Restored } from "../../files/checkpoints/restore.ts";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { folderOf, openScene, orFail } from "./open-folder.ts";
import { shortHash } from "./shown.ts";

/** Files as they were at a checkpoint. */
export const restore = defineAction({
	summary: "Bring the folder, or files of it, back to a checkpoint",
	details: [
		"ID is the number or the id that list shows; PATH is a file or folder, everything when left out.",
		"The folder is kept as it is first, so that this can be taken back too. Files that were made later stay unless",
		"--delete-new is given. Ignored files and secrets are in no checkpoint and are left alone.",
	].join("\n"),
	operands: "<ID> [PATH]",
	flags: placeFlags.extend({
		...jsonFlag.shape,
		deleteNew: z.boolean().default(false).meta({ description: "Remove files that were made later" }),
	}),

	async run({ flags, operands: [asked = "", path] }, cli) {
		await using scene = await openScene(cli, flags);
		const { place, store, limits } = scene;
		const { root, cwd } = await folderOf(scene);
		const [{ findCheckpoint, listCheckpoints }, { restoreCheckpoint }] = await Promise.all([
			import("../../files/checkpoints/history.ts"),
			import("../../files/checkpoints/restore.ts"),
		]);
		const { checkpoints } = orFail(await listCheckpoints(place, store, { root }));
		const checkpoint = findCheckpoint(checkpoints, asked);
		if ("ok" in checkpoint) throw new CommandFailed(checkpoint.error);
		const paths = path === undefined ? {} : { paths: [posix.resolve(cwd, path)] };
		const options = { root, checkpoint, limits, ...paths, deleteNew: flags.deleteNew };
		const restored = orFail(await restoreCheckpoint(place, store, options));
		const isWhole = restored.blocked.length === 0;
		if (flags.json) {
			const { blocked, newer, deleted, before, warning } = restored;
			const about = {
				success: isWhole,
				restored_to: shortHash(checkpoint.hash),
				reason: checkpoint.reason,
				directory: root,
			};
			const done = { restored: restored.restored, deleted, newer, blocked, before, warning };
			cli.stdout.write(`${JSON.stringify({ ...about, ...done }, null, 2)}\n`);
		} else report(cli, restored, shortHash(checkpoint.hash));
		return isWhole ? exitCodes.ok : exitCodes.failure;
	},
});

function report({ stdout, stderr }: Cli, { restored, deleted, newer, blocked, before, warning }: Restored, to: string) {
	for (const path of restored) stdout.write(`restored  ${visible(path)}\n`);
	for (const path of deleted) stdout.write(`deleted   ${visible(path)}\n`);
	for (const path of newer) stdout.write(`newer     ${visible(path)}\n`);
	if (restored.length + deleted.length === 0) stdout.write(`Nothing is different from ${to}\n`);
	else stdout.write(`As at ${to}; before this it was ${shortHash(before)}\n`);
	if (newer.length > 0)
		stdout.write("Files marked newer were made later and stay; --delete-new removes those it can\n");
	stdout.write("Ignored files and secrets are in no checkpoint\n");
	for (const path of blocked)
		stderr.write(`hermes: Cannot restore "${visible(path)}": something else is in its place\n`);
	if (warning !== undefined) stderr.write(`hermes: ${visible(warning)}\n`);
}
