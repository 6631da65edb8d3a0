/** `hermes profile delete`: a profile goes with everything in it. */

import { z } from "zod";
import { removeAlias } from "../../config/profiles/alias.ts";
import { removeProfile } from "../../config/profiles/change.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { isAgreed } from "../runtime/agreed.ts";
import { defineAction } from "../subcommand.ts";
import { ownProfile, rootOf } from "./find-profile.ts";
import { refuseInUse } from "./in-use.ts";

/** Asked first at a terminal; elsewhere `--yes` must be said. */
export const deleteProfile = defineAction({
	summary: "Delete a profile with its settings, keys, sessions and memory",
	operands: "NAME",
	completes: "profiles",
	needsNoProfile: true,
	flags: z.object({ yes: z.boolean().default(false).meta({ short: "y", description: "Do not ask" }) }),

	async run({ flags, operands: [name = ""] }, cli) {
		const home = ownProfile(cli, name, "delete");
		if (profileOf(cli.environment.hermesHome) === name) {
			throw new UsageError(`Cannot delete "${name}" from within: say hermes --profile default profile delete ${name}`);
		}
		refuseInUse(home, name, "delete");
		if (!(await isAgreed(cli, `Delete profile "${name}" and everything in ${home} for good?`, flags))) {
			cli.stderr.write("Nothing was deleted\n");
			return exitCodes.failure;
		}
		removeProfile(rootOf(cli), name);
		const hadAlias = removeAlias(cli.environment.home, name);
		cli.stdout.write(`Deleted profile "${name}"${hadAlias ? " and its alias" : ""}\n`);
		return exitCodes.ok;
	},
});
