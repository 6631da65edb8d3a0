/** What the user is told of words that were typed while a turn ran. */

import type { BusyInputMode } from "../../agent/busy-input.ts";

/** By what is done with them. */
export const heardText: Readonly<Record<BusyInputMode, string>> = {
	interrupt: "stopping for that",
	queue: "that comes next",
	steer: "the model is told with the next tool result",
};
