/** `hermes profile import`: a profile from a file that `hermes profile export` wrote. */

import { resolve } from "node:path";
import { z } from "zod";
import { putProfile } from "../../config/profiles/create.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { checkNewName, rootOf } from "./find-profile.ts";

/** Whole or not at all, and never over another one. */
export const importProfile = defineAction({
	summary: "Make a profile from a file that hermes profile export wrote",
	details: "An archive with links, devices or paths that lead out of the profile is refused.",
	operands: "FILE",
	needsNoProfile: true,
	flags: z.object({
		name: z.string().optional().meta({ value: "NAME", description: "What to call it (default: as it was called)" }),
	}),

	async run({ flags: { name }, operands: [file = ""] }, cli) {
		const [{ unpackInto, readManifest }, { ArchiveRefused }] = await Promise.all([
			import("../../store/archive/unpack.ts"),
			import("../../store/archive/manifest.ts"),
		]);
		const archive = resolve(file);
		const manifest = await readManifest(archive);
		if (manifest.kind !== "profile")
			throw new ArchiveRefused(`Cannot use "${archive}": it is a backup; see hermes import`);
		const called = name ?? manifest.name;
		if (called === "default") throw new UsageError("Cannot import over the default profile: say --name");
		checkNewName(cli, called);
		const { signal } = cli.interruption;
		const home = await putProfile(rootOf(cli), called, (folder) => unpackInto(folder, archive, { signal }));
		cli.stdout.write(`Made profile "${called}" in ${home}\n`);
		if (!manifest.secrets) cli.stdout.write(`It has no keys yet: add them with hermes --profile ${called} auth add\n`);
		return exitCodes.ok;
	},
});
