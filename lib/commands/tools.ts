/** `/tools`: what the model may call. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "tools",
	aliases: ["toolsets"],
	description: "the tools, and which of them cannot be used here",
	category: "tools",
	words: () => ["tools", "list"],
});
