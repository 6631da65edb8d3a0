/** `hermes auth`: keys of providers, in a file of their own. */

import type { ActionGroup } from "../subcommand.ts";
import { add } from "./add.ts";
import { list } from "./list.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { remove } from "./remove.ts";

const auth: ActionGroup = {
	summary: "Add, list and remove keys of providers",
	details:
		"They are kept in auth.json of the hermes home (0600). Keys in the environment or .env count as well, and come first.",
	verbs: { list, add, remove, login, logout },
};

export default auth;
