/** `hermes checkpoints list`: what one folder was, newest first. */

import { isAtOrBelow } from "../../security/path-safety.ts";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { type CheckpointScene, folderOf, openScene, orFail } from "./open-folder.ts";
import { checkpointLine, checkpointRow } from "./shown.ts";

/** The checkpoints of the current folder. */
export const list = defineAction({
	summary: "List the checkpoints of the current folder",
	details: "The numbers count from the newest; what has changed is counted against the checkpoint before.",
	flags: placeFlags.extend(jsonFlag.shape),

	async run({ flags }, cli) {
		await using scene = await openScene(cli, flags);
		const { root } = await folderOf(scene);
		const { listCheckpoints } = await import("../../files/checkpoints/history.ts");
		const { checkpoints } = orFail(await listCheckpoints(scene.place, scene.store, { root, withChanges: true }));
		if (flags.json) {
			cli.stdout.write(`${JSON.stringify(checkpoints.map(checkpointRow), null, 2)}\n`);
			return exitCodes.ok;
		}
		if (checkpoints.length === 0) return await explainNone(cli, scene, root);
		cli.stdout.write(`${visible(root)} (${scene.ranOn})\n`);
		for (const [index, checkpoint] of checkpoints.entries()) cli.stdout.write(checkpointLine(checkpoint, index + 1));
		return exitCodes.ok;
	},
});

/** An edit deeper down belongs to a folder of its own when there is a project of its own. */
async function explainNone(cli: Cli, { place, store, isEnabled }: CheckpointScene, root: string): Promise<number> {
	const { storeStatus } = await import("../../files/checkpoints/history.ts");
	const { folders } = orFail(await storeStatus(place, store));
	const near = folders.filter((folder) => isAtOrBelow(folder.root, root) || isAtOrBelow(root, folder.root));
	cli.stdout.write(`There are no checkpoints of ${visible(root)}\n`);
	if (near.length > 0)
		cli.stdout.write(`There are some of ${near.map((one) => visible(one.root)).join(", ")}; use --cwd\n`);
	if (!isEnabled) cli.stdout.write("checkpoints.enabled is false\n");
	return exitCodes.ok;
}
