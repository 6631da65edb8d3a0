/** `/version`: which hermes this is. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "version",
	aliases: ["v"],
	description: "the version of hermes",
	category: "info",
	words: () => ["--version"],
});
