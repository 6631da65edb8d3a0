/** `/doctor`: what is wrong here. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "doctor",
	description: "what is wrong here, and what to do about it",
	category: "info",
	words: () => ["doctor"],
});
