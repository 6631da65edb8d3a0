/** `/insights`: how hermes has been used. */

import { programCommand } from "./program-command.ts";

export default programCommand({
	name: "insights",
	description: "sessions, tools and hours of the last DAYS (30)",
	argumentsHint: "[DAYS]",
	category: "info",
	words: (days) => (days === "" ? ["insights"] : ["insights", "--days", days]),
});
