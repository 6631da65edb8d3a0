/** `hermes plugins`: tools and hooks of your own, each plug-in in a process of its own. */

import type { ActionGroup } from "../subcommand.ts";
import { disable } from "./disable.ts";
import { enable } from "./enable.ts";
import { list } from "./list.ts";

const plugins: ActionGroup = {
	summary: "List, enable and disable your plug-ins",
	details: "A plug-in is a folder in plugins/ of the hermes home with a plugin.json. It runs only when it is enabled.",
	verbs: { list, enable, disable },
};

export default plugins;
