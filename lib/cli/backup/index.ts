/** `hermes backup`: everything hermes remembers, as one file. */

import { resolve } from "node:path";
import { z } from "zod";
import { goesAlong } from "../../config/profiles/contents.ts";
import { profileRoot } from "../../config/profiles/folders.ts";
import { defaultProfile } from "../../config/profiles/name.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { writeArchive } from "./write-archive.ts";

/** Safe while hermes is at work: databases are copied as they are at one moment. */
export default defineAction({
	summary: "Write settings, keys, sessions and memory of all profiles into one file",
	details: "Bring it back with hermes import FILE. Logs, caches, checkpoints and sandboxes are not in it.",
	needsNoProfile: true,
	flags: jsonFlag.extend({
		output: z
			.string()
			.optional()
			.meta({ short: "o", value: "FILE", description: "Where to (default: ./hermes-backup-DATE.tar.gz)" }),
	}),

	async run({ flags: { output, json } }, cli) {
		await writeArchive(cli, {
			kind: "home",
			name: defaultProfile,
			folder: profileRoot(cli.environment.hermesHome),
			to: resolve(output ?? `hermes-backup-${stamp(new Date())}.tar.gz`),
			secrets: true,
			json,
			includes: (name) => goesAlong(name) || name === "profiles" || name === "active_profile",
		});
		return exitCodes.ok;
	},
});

/** `20261201-093000`, in UTC. */
function stamp(date: Date): string {
	return date.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
