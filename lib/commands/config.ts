/** `/config`: the settings. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "config",
	description: "the settings that are in use, or one of them",
	argumentsHint: "[KEY]",
	category: "configuration",
	words: (key) => (key === "" ? ["config", "show", "--origin"] : ["config", "get", key]),
});
