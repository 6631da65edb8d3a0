/** Whether a tool can be used now. */

import type { Tool } from "./tool.ts";

/** `true`, or one line that says why not. A check that throws counts as a no and its message is the reason. */
export async function availability(tool: Tool): Promise<true | string> {
	if (tool.available === undefined) return true;
	try {
		return await tool.available();
	} catch (cause) {
		return `its availability check failed: ${cause instanceof Error ? cause.message : String(cause)}`;
	}
}
