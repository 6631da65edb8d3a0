/** `/plugins`: the user's own tools and hooks. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "plugins",
	description: "your plug-ins, and which of them are enabled",
	category: "tools",
	words: () => ["plugins", "list"],
});
