/** `hermes profile list`: which profiles there are. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasAlias } from "../../config/profiles/alias.ts";
import { profileHome, profileNames, profileOf } from "../../config/profiles/folders.ts";
import { defaultProfile } from "../../config/profiles/name.ts";
import { stickyProfile } from "../../config/profiles/sticky.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { rootOf } from "./find-profile.ts";

/** One profile, as `--json` prints it. */
export interface ProfileRow {
	readonly name: string;
	readonly home: string;
	/** The one this command line is in. */
	readonly current: boolean;
	/** The one that is meant when none is named. */
	readonly usual: boolean;
	readonly configured: boolean;
	readonly alias: boolean;
}

/** The default one first. */
export const list = defineAction({
	summary: "List the profiles",
	needsNoProfile: true,
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const rows = profileRows(cli);
		if (json) cli.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
		else for (const row of rows) cli.stdout.write(lineOf(row));
		return exitCodes.ok;
	},
});

/** Every profile with its state. */
function profileRows(cli: Cli): ProfileRow[] {
	const root = rootOf(cli);
	const usual = stickyProfile(root) ?? defaultProfile;
	const current = profileOf(cli.environment.hermesHome);
	return profileNames(root).map((name) => {
		const home = profileHome(root, name);
		return {
			name,
			home,
			current: name === current,
			usual: name === usual,
			configured: existsSync(join(home, "config.yaml")),
			alias: name !== defaultProfile && hasAlias(cli.environment.home, name),
		};
	});
}

function lineOf({ name, home, current, usual, configured, alias }: ProfileRow): string {
	const notes = [usual ? "usual" : "", configured ? "" : "no config.yaml", alias ? "alias" : ""].filter(Boolean);
	return `${current ? "*" : " "} ${name}  ${home}${notes.length === 0 ? "" : `  (${notes.join(", ")})`}\n`;
}
