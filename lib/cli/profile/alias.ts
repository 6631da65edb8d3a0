/** `hermes profile alias`: a command of the profile's name that starts hermes in it. */

import { dirname } from "node:path";
import { z } from "zod";
import { removeAlias, writeAlias } from "../../config/profiles/alias.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { ownProfile } from "./find-profile.ts";

/** Makes it, or takes it away. */
export const alias = defineAction({
	summary: "Make a command in ~/.local/bin that starts hermes in a profile",
	operands: "NAME",
	completes: "profiles",
	needsNoProfile: true,
	flags: z.object({ remove: z.boolean().default(false).meta({ description: "Take it away" }) }),

	async run({ flags: { remove }, operands: [name = ""] }, cli) {
		if (!remove) {
			ownProfile(cli, name, "make an alias of");
			writeProfileAlias(cli, name);
			return exitCodes.ok;
		}
		const had = removeAlias(cli.environment.home, name);
		cli.stdout.write(had ? `Removed the alias of "${name}"\n` : `There is no alias of "${name}"\n`);
		return had ? exitCodes.ok : exitCodes.failure;
	},
});

/** Writes the alias and says where it is, and whether a shell finds it. */
export function writeProfileAlias(cli: Cli, name: string): void {
	const path = writeAlias(cli.environment.home, name, [Bun.which("hermes", { PATH: pathOf(cli) }) ?? "hermes"]);
	cli.stdout.write(`Made ${path}\n`);
	if (!pathOf(cli).split(":").includes(dirname(path))) {
		cli.stderr.write(`hermes: ${dirname(path)} is not on PATH; add it to use "${name}" as a command\n`);
	}
}

function pathOf(cli: Cli): string {
	return cli.environment.variables.PATH ?? "";
}
