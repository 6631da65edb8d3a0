/** `hermes profile show`: one profile, and what it is set up with. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { environmentIn } from "../../config/profiles/choose.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { openSettings } from "../runtime/settings.ts";
import { defineAction } from "../subcommand.ts";
import { existingProfile } from "./find-profile.ts";

/** The one that is worked in, unless another is named. */
export const show = defineAction({
	summary: "Show a profile: where it is, and which model and backend it uses",
	operands: "[NAME]",
	completes: "profiles",
	flags: jsonFlag,

	async run({ flags: { json }, operands: [named] }, cli) {
		const name = named ?? profileOf(cli.environment.hermesHome);
		const home = existingProfile(cli, name);
		const environment = environmentIn(cli.environment, { name, by: "--profile" });
		const config = await openSettings({ ...cli, environment }, {});
		const shown = {
			name,
			home,
			provider: config.get("model.provider"),
			model: config.get("model.default"),
			backend: config.get("terminal.backend"),
			sessions: existsSync(join(home, "state.db")),
		};
		if (json) cli.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
		else for (const [key, value] of Object.entries(shown)) cli.stdout.write(`${key}: ${shownValue(value)}\n`);
		return exitCodes.ok;
	},
});

function shownValue(value: unknown): string {
	if (typeof value === "boolean") return value ? "yes" : "none yet";
	return value === undefined || value === "" ? "not set" : String(value);
}
