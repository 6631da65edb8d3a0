/** `hermes profile`: several hermes on one machine, each with settings, keys, sessions and memory of its own. */

import type { ActionGroup } from "../subcommand.ts";
import { alias } from "./alias.ts";
import { create } from "./create.ts";
import { deleteProfile } from "./delete.ts";
import { exportProfile } from "./export.ts";
import { importProfile } from "./import.ts";
import { list } from "./list.ts";
import { rename } from "./rename.ts";
import { show } from "./show.ts";
import { use } from "./use.ts";

const profile: ActionGroup = {
	summary: "Make, choose and remove profiles",
	details: [
		"A profile is a folder of its own below HERMES_HOME/profiles; the default one is HERMES_HOME itself.",
		"Work in one with hermes --profile NAME, or choose the usual one with hermes profile use NAME.",
	].join("\n"),
	verbs: {
		list,
		show,
		create,
		use,
		rename,
		delete: deleteProfile,
		export: exportProfile,
		import: importProfile,
		alias,
	},
};

export default profile;
