/** `hermes profile export`: a profile as one file, for another machine or another user. */

import { resolve } from "node:path";
import { z } from "zod";
import { goesAlong, secretFiles } from "../../config/profiles/contents.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { writeArchive } from "../backup/write-archive.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { existingProfile } from "./find-profile.ts";

/** Without keys unless they are asked for. */
export const exportProfile = defineAction({
	summary: "Write a profile into one file (.tar.gz)",
	details:
		"Keys (.env, sign-ins) stay here unless --with-secrets is said; logs, caches and what belongs to this machine always do.",
	operands: "[NAME]",
	completes: "profiles",
	flags: jsonFlag.extend({
		output: z.string().optional().meta({ short: "o", value: "FILE", description: "Where to (default: ./NAME.tar.gz)" }),
		withSecrets: z.boolean().default(false).meta({ description: "Keys too; whoever has the file can use them" }),
	}),

	async run({ flags: { output, withSecrets, json }, operands: [named] }, cli) {
		const name = named ?? profileOf(cli.environment.hermesHome);
		const folder = existingProfile(cli, name);
		await writeArchive(cli, {
			kind: "profile",
			name,
			folder,
			to: resolve(output ?? `${name}.tar.gz`),
			secrets: withSecrets,
			json,
			includes: (entry) => goesAlong(entry) && (withSecrets || !secretFiles.includes(entry)),
		});
		return exitCodes.ok;
	},
});
