/** What happens to background processes, and to whatever else goes on beside a conversation, and how the model is told. */

import type { ProcessEnd } from "./process-record.ts";

/** One thing that happened. Texts are fit for the model. */
export type Notice =
	| {
			readonly type: "completion";
			readonly id: string;
			readonly command: string;
			readonly end: ProcessEnd;
			readonly output: string;
	  }
	| {
			readonly type: "watch_match";
			readonly id: string;
			readonly command: string;
			readonly pattern: string;
			readonly output: string;
			/** Matches that were not told since the last one. */
			readonly suppressed: number;
	  }
	| { readonly type: "watch_disabled"; readonly id: string; readonly command: string; readonly suppressed: number }
	| {
			readonly type: "delegation";
			readonly id: string;
			/** The conversation that it belongs to, by the id that it began with. */
			readonly conversationId: string;
			readonly text: string;
	  }
	| { readonly type: "overflow_tripped" }
	| { readonly type: "overflow_released"; readonly suppressed: number };

/** The notice as the text of a turn. */
export function noticeText(notice: Notice): string {
	switch (notice.type) {
		case "completion":
			return `[IMPORTANT: Background process ${notice.id} ${endText(notice.end)}.\nCommand: ${notice.command}\nOutput:\n${notice.output}]`;
		case "watch_match":
			return `[IMPORTANT: Background process ${notice.id} printed a line that matches "${notice.pattern}"${more(notice.suppressed)}.\nCommand: ${notice.command}\nMatched output:\n${notice.output}]`;
		case "watch_disabled":
			return `[IMPORTANT: Background process ${notice.id} matches its watch patterns too often (${notice.suppressed} matches were not told). They are switched off; you are told when it ends.\nCommand: ${notice.command}]`;
		case "delegation":
			return notice.text;
		case "overflow_tripped":
			return "[IMPORTANT: Background processes match their watch patterns too often; matches are not told for 30 seconds. Use process(action=poll) meanwhile.]";
		case "overflow_released":
			return `[IMPORTANT: Matches of watch patterns are told again; ${notice.suppressed} were not.]`;
	}
}

function more(suppressed: number): string {
	return suppressed === 0 ? "" : ` (${suppressed} earlier matches were not told)`;
}

/** How a process ended, in words: nobody is blamed for a signal that came from elsewhere. */
function endText({ reason, exitCode, source, why }: ProcessEnd): string {
	if (reason === "lost") return `is lost${why === undefined ? "" : `: ${why}`} (exit code unknown)`;
	if (reason === "killed") return `was ended by ${source} (exit code ${exitCode})`;
	if (exitCode === 0) return "completed normally (exit code 0)";
	const signal = exitCode === 143 || exitCode === -15 ? ", SIGTERM" : "";
	return `exited (exit code ${exitCode}${signal})`;
}
