/** `hermes config`: settings in config.yaml, secrets in .env. */

import type { ActionGroup } from "../subcommand.ts";
import { check } from "./check.ts";
import { edit } from "./edit.ts";
import { get } from "./get.ts";
import { migrate } from "./migrate.ts";
import { path } from "./path.ts";
import { set } from "./set.ts";
import { show } from "./show.ts";

const config: ActionGroup = {
	summary: "Show and change the settings",
	details: "A flag beats the environment, the environment beats config.yaml, and that beats the default.",
	verbs: { show, get, set, path, check, edit, migrate },
};

export default config;
