/** `hermes checkpoints diff`: what has changed since a checkpoint. */

import { posix } from "node:path";
import { z } from "zod";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { printable } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";
import { folderOf, openScene, orFail } from "./open-folder.ts";

/** The way from a checkpoint to the folder as it is now. */
export const diff = defineAction({
	summary: "Show what has changed since a checkpoint",
	details: "ID is the number or the id that list shows, the newest when left out; PATH is one file or folder.",
	operands: "[ID] [PATH]",
	flags: placeFlags.extend({
		...jsonFlag.shape,
		stat: z.boolean().default(false).meta({ description: "Only the names, and how much has changed" }),
	}),

	async run({ flags, operands: [asked = "1", path] }, cli) {
		await using scene = await openScene(cli, flags);
		const { place, store, limits } = scene;
		const folder = await folderOf(scene);
		const [{ findCheckpoint, listCheckpoints }, { compareWithNow }] = await Promise.all([
			import("../../files/checkpoints/history.ts"),
			import("../../files/checkpoints/compare.ts"),
		]);
		const { checkpoints } = orFail(await listCheckpoints(place, store, folder));
		const found = findCheckpoint(checkpoints, asked);
		if ("ok" in found) throw new CommandFailed(found.error);
		const { hash } = found;
		const inside = path === undefined ? "" : posix.relative(folder.root, posix.resolve(folder.cwd, path));
		const form = flags.stat ? "stat" : "patch";
		const asks = { root: folder.root, hash, limits, form, ...(inside !== "" && { path: inside }) } as const;
		const { text, isCut } = orFail(await compareWithNow(place, store, asks));
		if (flags.json)
			cli.stdout.write(`${JSON.stringify({ hash, directory: folder.root, [form]: text, is_cut: isCut })}\n`);
		else cli.stdout.write(cli.stdout.isTerminal ? printable(text) : text);
		if (isCut) cli.stderr.write("hermes: the text is longer; name a PATH to see the rest\n");
		return exitCodes.ok;
	},
});
