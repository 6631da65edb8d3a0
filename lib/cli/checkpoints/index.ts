/** `hermes checkpoints`: folders as they were before hermes changed something in them. */

import type { ActionGroup } from "../subcommand.ts";
import { clear } from "./clear.ts";
import { diff } from "./diff.ts";
import { list } from "./list.ts";
import { prune } from "./prune.ts";
import { restore } from "./restore.ts";
import { status } from "./status.ts";

const checkpoints: ActionGroup = {
	summary: "Show what files were before they were changed, and bring them back",
	details: [
		"Once a turn, before the first change in a folder, the folder is kept in a repository of its own below HERMES_HOME (with",
		"other backends: where the files are). Your repository and its history are never touched. Ignored files and secrets are",
		"not kept. See the checkpoints settings in hermes config show.",
	].join("\n"),
	verbs: { status, list, diff, restore, prune, clear },
};

export default checkpoints;
