/** `/mcp`: the servers whose tools the model may call. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "mcp",
	description: "your MCP servers",
	category: "tools",
	words: () => ["mcp", "list"],
});
