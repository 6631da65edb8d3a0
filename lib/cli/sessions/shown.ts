/** Sessions as people and scripts read them. */

import { type ListedSession, sessionText } from "../../commands/listed-session.ts";
import { visible } from "../runtime/paint.ts";

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
export function sessionLine(listed: ListedSession): string {
	return `${visible(sessionText(listed))}\n`;
}

/** Seconds since 1970 as ISO 8601; a number that is no time, which only another program writes, as it is. */
export function isoTime(seconds: number): string {
	const date = new Date(seconds * 1000);
	return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}
