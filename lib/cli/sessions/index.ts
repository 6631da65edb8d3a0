/** `hermes sessions`: what was said in the past, to read, find, name, take along and throw away. */

import type { ActionGroup } from "../subcommand.ts";
import { branch } from "./branch.ts";
import { browse } from "./browse.ts";
import { deleteSessions } from "./delete.ts";
import { exportSessions } from "./export.ts";
import { importSessions } from "./import.ts";
import { list } from "./list.ts";
import { prune } from "./prune.ts";
import { rename } from "./rename.ts";
import { repair } from "./repair.ts";
import { search } from "./search.ts";
import { show } from "./show.ts";
import { stats } from "./stats.ts";

const sessions: ActionGroup = {
	summary: "List, search, read, export and delete sessions",
	details: [
		"A session is named by its id, the beginning of its id, or its title.",
		"Go on with one with hermes --resume ID, or with the latest with hermes --continue.",
	].join("\n"),
	verbs: {
		list,
		show,
		search,
		browse,
		export: exportSessions,
		import: importSessions,
		delete: deleteSessions,
		prune,
		rename,
		stats,
		branch,
		repair,
	},
};

export default sessions;
