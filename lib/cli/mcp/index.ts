/** `hermes mcp`: servers whose tools the model may call. */

import type { ActionGroup } from "../subcommand.ts";
import { add } from "./add.ts";
import { configure } from "./configure.ts";
import { importServers } from "./import.ts";
import { list } from "./list.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { remove } from "./remove.ts";
import { serve } from "./serve.ts";
import { test } from "./test.ts";

const mcp: ActionGroup = {
	summary: "Add, remove, list and test your MCP servers, or serve as one",
	details:
		"A server is an entry of mcp_servers in config.yaml: a command with its args and env, or a url with its headers.",
	verbs: { add, remove, list, test, configure, import: importServers, login, logout, serve },
};

export default mcp;
