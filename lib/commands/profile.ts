/** `/profile`: the profile that this conversation is in. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "profile",
	description: "the profile that you are in",
	category: "info",
	words: () => ["profile", "show"],
});
