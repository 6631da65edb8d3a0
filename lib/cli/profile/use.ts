/** `hermes profile use`: the profile that is meant when none is named. */

import { z } from "zod";
import { setStickyProfile } from "../../config/profiles/sticky.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { existingProfile, rootOf } from "./find-profile.ts";

/** What runs already stays where it is. */
export const use = defineAction({
	summary: "Choose the profile that is used when none is named",
	operands: "NAME",
	completes: "profiles",
	needsNoProfile: true,
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		existingProfile(cli, name);
		setStickyProfile(rootOf(cli), name);
		cli.stdout.write(`The usual profile is "${name}"\n`);
		return exitCodes.ok;
	},
});
