/** `/processes`: what runs in the background. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "processes",
	aliases: ["ps"],
	description: "what runs in the background",
	category: "info",
	words: () => ["ps"],
});
