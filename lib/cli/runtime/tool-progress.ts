/** Which calls of tools a person is shown: `display.tool_progress`, and what /verbose says in its place. */

import type { AgentEvent } from "../../agent/events.ts";
import type { ProgressChoice } from "../../commands/command.ts";

/**
 * `emit`, without events of calls that are not to be shown. A call that has begun to be shown is shown to its end, whatever
 * is chosen meanwhile.
 */
export function withProgress(choice: ProgressChoice, emit: (event: AgentEvent) => void): (event: AgentEvent) => void {
	const shown = new Set<string>();
	let lastName = "";
	return (event) => {
		switch (event.type) {
			case "session_started":
				lastName = "";
				return emit(event);
			case "tool_started": {
				const isShown = choice.mode !== "off" && (choice.mode !== "new" || event.name !== lastName);
				lastName = event.name;
				if (!isShown) return;
				shown.add(event.id);
				return emit(event);
			}
			case "tool_output":
				return shown.has(event.id) ? emit(event) : undefined;
			case "tool_finished":
				return shown.delete(event.id) ? emit(event) : undefined;
			default:
				return emit(event);
		}
	};
}
