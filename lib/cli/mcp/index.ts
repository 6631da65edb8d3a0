/** `hermes mcp`: servers whose tools the model may call. */

import type { ActionGroup } from "../subcommand.ts";
import { list } from "./list.ts";
import { test } from "./test.ts";

const mcp: ActionGroup = {
	summary: "List and test your MCP servers",
	details: "A server is an entry of mcp_servers in config.yaml with a command, its args and its env.",
	verbs: { list, test },
};

export default mcp;
