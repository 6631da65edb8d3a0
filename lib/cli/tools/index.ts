/** `hermes tools`: the tool layer without a model, for people, scripts and other agents. */

import type { ActionGroup } from "../subcommand.ts";
import { call } from "./call.ts";
import { disable } from "./disable.ts";
import { enable } from "./enable.ts";
import { list } from "./list.ts";
import { pipe } from "./pipe.ts";
import { schema } from "./schema.ts";

const tools: ActionGroup = {
	summary: "List, describe and call the tools, switch them on and off",
	verbs: { list, schema, call, pipe, enable, disable },
};

export default tools;
