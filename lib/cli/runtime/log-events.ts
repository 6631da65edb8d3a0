/** What an agent does, as lines of the log: names, durations and failures, never arguments, output or answers. */

import type { AgentEvent } from "../../agent/events.ts";
import type { Logger } from "../../log/logger.ts";

/** `emit` that also writes to `log`. */
export function logged(emit: (event: AgentEvent) => void, log: Logger): (event: AgentEvent) => void {
	return (event) => {
		write(event, log);
		emit(event);
	};
}

/** The same in the log of a session, and in that of its continuation when it was compressed. */
export function loggedInSession(
	emit: (event: AgentEvent) => void,
	log: Logger,
	sessionId: string,
): (event: AgentEvent) => void {
	let write = logged(emit, log.inSession(sessionId));
	return (event) => {
		if (event.type === "compressed") write = logged(emit, log.inSession(event.session_id));
		write(event);
	};
}

function write(event: AgentEvent, log: Logger): void {
	switch (event.type) {
		case "session_started":
			log.info(`session on ${event.ran_on} with ${event.model} of ${event.provider}`);
			break;
		case "tool_finished":
			log.info(`${event.name} ${outcomeOf(event)} after ${event.duration_ms} ms`);
			break;
		case "warning":
			log.warning(event.message);
			break;
		case "retry":
			log.warning(`${event.kind}: ${event.message} (${event.recovery}, after ${event.wait_ms} ms)`);
			break;
		case "fallback":
			log.warning(`${event.model} of ${event.provider} answers instead of ${event.from_model}: ${event.message}`);
			break;
		case "compressed":
			log.info(`conversation shortened from ${event.messages_before} to ${event.messages_after} messages`);
			break;
		case "status":
			log.info(event.message);
			break;
		case "turn_finished":
			if (event.error === undefined) log.info(`turn ${event.ended} after ${event.model_calls} model calls`);
			else log.error(`turn ${event.ended}: ${event.error}`);
			break;
	}
}

function outcomeOf({ denied, is_error }: { readonly denied: boolean; readonly is_error: boolean }): string {
	if (denied) return "denied";
	return is_error ? "failed" : "done";
}
