/** `hermes profile rename`: another name for a profile, and for its alias. */

import { z } from "zod";
import { removeAlias } from "../../config/profiles/alias.ts";
import { renameProfile } from "../../config/profiles/change.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { writeProfileAlias } from "./alias.ts";
import { checkNewName, ownProfile, rootOf } from "./find-profile.ts";
import { refuseInUse } from "./in-use.ts";

/** Nothing in it changes. */
export const rename = defineAction({
	summary: "Rename a profile",
	operands: "NAME NEW_NAME",
	completes: "profiles",
	needsNoProfile: true,
	flags: z.object({}),

	async run({ operands: [name = "", newName = ""] }, cli) {
		const home = ownProfile(cli, name, "rename");
		checkNewName(cli, newName);
		refuseInUse(home, name, "rename");
		renameProfile(rootOf(cli), name, newName);
		cli.stdout.write(`Profile "${name}" is now "${newName}"\n`);
		if (removeAlias(cli.environment.home, name)) writeProfileAlias(cli, newName);
		return exitCodes.ok;
	},
});
