/** Sessions as people and scripts read them. */

import type { StoredSession } from "../../store/store.ts";
import { shownTime } from "../checkpoints/shown.ts";
import { visible } from "../runtime/paint.ts";

/** What a list knows of a session besides its row. */
export interface ListedSession {
	readonly session: StoredSession;
	/** The beginning of what the user said first. */
	readonly preview: string;
	/** A turn was under way when it was last written. */
	readonly isInterrupted: boolean;
}

/** One session, as `--json` prints it. */
export function sessionRow({ session, preview, isInterrupted }: ListedSession) {
	const { usage } = session;
	return {
		id: session.id,
		title: session.title,
		preview,
		source: session.source,
		model: session.model,
		provider: session.provider,
		cwd: session.cwd,
		started_at: isoTime(session.startedAt),
		ended_at: session.endedAt === null ? null : isoTime(session.endedAt),
		end_reason: session.endReason,
		interrupted: isInterrupted,
		archived: session.archived,
		parent_session_id: session.parentSessionId,
		message_count: session.messageCount,
		tool_call_count: session.toolCallCount,
		api_call_count: session.apiCallCount,
		input_tokens: usage.inputTokens,
		output_tokens: usage.outputTokens,
		cache_read_tokens: usage.cacheReadTokens,
		cache_write_tokens: usage.cacheWriteTokens,
		reasoning_tokens: usage.reasoningTokens,
		cost_usd: session.costUsd,
	};
}

/** The same on one line. */
export function sessionLine({ session, preview, isInterrupted }: ListedSession): string {
	const about = [session.source, `${session.messageCount} messages`, ...(isInterrupted ? ["interrupted"] : [])].join(
		", ",
	);
	const name = session.title === null ? preview : `${session.title}`;
	return `${session.id}  ${shownTime(session.startedAt * 1000)}  ${visible(name)}  (${about})\n`;
}

/** Seconds since 1970 as ISO 8601; a number that is no time, which only another program writes, as it is. */
export function isoTime(seconds: number): string {
	const date = new Date(seconds * 1000);
	return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}

/** A piece of a message on one line of a terminal. */
export function oneLine(text: string, length: number): string {
	const line = visible(text.replace(/\s+/g, " ").trim());
	return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
