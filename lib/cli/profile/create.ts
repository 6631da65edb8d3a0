/** `hermes profile create`: a new profile, empty or after another one. */

import { z } from "zod";
import { createProfile } from "../../config/profiles/create.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { writeProfileAlias } from "./alias.ts";
import { checkNewName, existingProfile, rootOf } from "./find-profile.ts";

/** Whole or not at all. */
export const create = defineAction({
	summary: "Make a profile",
	details: [
		"--clone takes config.yaml, .env, SOUL.md, memories, skills and plug-ins along; --clone-all everything but the history.",
		"Sign-ins of providers are never copied: their keys rotate, and two holders would lock each other out.",
	].join("\n"),
	operands: "NAME",
	needsNoProfile: true,
	flags: z.object({
		clone: z.boolean().default(false).meta({ description: "Begin with the settings, keys and notes of this profile" }),
		cloneAll: z.boolean().default(false).meta({ description: "Begin with everything of it but the history" }),
		cloneFrom: z
			.string()
			.optional()
			.meta({ value: "PROFILE", completes: "profiles", description: "The profile to begin with, instead of this one" }),
		alias: z.boolean().default(false).meta({ description: "Make a command of this name in ~/.local/bin too" }),
	}),

	async run({ flags: { clone, cloneAll, cloneFrom, alias }, operands: [name = ""] }, cli) {
		checkNewName(cli, name);
		if (clone && cloneAll) throw new UsageError("Cannot use --clone and --clone-all together");
		const from = existingProfile(cli, cloneFrom ?? profileOf(cli.environment.hermesHome));
		const copies = cloneAll ? "everything" : "settings";
		const isCopy = clone || cloneAll || cloneFrom !== undefined;
		const home = await createProfile(rootOf(cli), name, isCopy ? { from, copies } : undefined);
		cli.stdout.write(`Made profile "${name}" in ${home}\n`);
		if (alias) writeProfileAlias(cli, name);
		const next = isCopy ? `hermes --profile ${name}` : `hermes --profile ${name} setup`;
		cli.stdout.write(`Go on with ${next}, or make it the usual one with hermes profile use ${name}\n`);
		return exitCodes.ok;
	},
});
