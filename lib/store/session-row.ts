/** One session as a row of `sessions`, and what is read from it. */

import { z } from "zod";
import type { JsonValue } from "../base/conversation.ts";
import type { NewSession, StoredSession } from "./store.ts";

/** The columns that are read. */
export interface SessionRow {
	readonly id: string;
	readonly source: string;
	readonly user_id: string | null;
	readonly model: string | null;
	readonly model_config: string | null;
	readonly system_prompt: string | null;
	readonly cwd: string | null;
	readonly billing_provider: string | null;
	readonly billing_base_url: string | null;
	readonly parent_session_id: string | null;
	readonly title: string | null;
	readonly started_at: number;
	readonly ended_at: number | null;
	readonly end_reason: string | null;
	readonly message_count: number;
	readonly tool_call_count: number;
	readonly api_call_count: number;
	readonly input_tokens: number;
	readonly output_tokens: number;
	readonly cache_read_tokens: number;
	readonly cache_write_tokens: number;
	readonly reasoning_tokens: number;
	readonly estimated_cost_usd: number | null;
	readonly actual_cost_usd: number | null;
	readonly rewind_count: number;
	readonly archived: number;
}

const configColumn = z.record(
	z.string(),
	z.custom<JsonValue>(() => true),
);

/** What `model_config` holds; nothing when it cannot be read. */
export function modelConfigOf(text: string | null): { readonly [key: string]: JsonValue } {
	if (text === null) return {};
	try {
		return configColumn.parse(JSON.parse(text));
	} catch {
		return {};
	}
}

/** The columns of a new session, under the names of the parameters of the INSERT. */
export function newSessionColumns(session: NewSession) {
	return {
		id: session.id,
		source: session.source,
		userId: session.userId ?? null,
		model: session.model ?? null,
		modelConfig: session.modelConfig === undefined ? null : JSON.stringify(session.modelConfig),
		systemPrompt: session.systemPrompt ?? null,
		cwd: session.cwd ?? null,
		provider: session.provider ?? null,
		baseUrl: session.baseUrl ?? null,
		parentSessionId: session.parentSessionId ?? null,
		startedAt: session.startedAt ?? Date.now() / 1000,
	};
}

/** The session of `row`. */
export function sessionOf(row: SessionRow): StoredSession {
	return {
		id: row.id,
		source: row.source,
		model: row.model,
		systemPrompt: row.system_prompt,
		cwd: row.cwd,
		provider: row.billing_provider,
		baseUrl: row.billing_base_url,
		parentSessionId: row.parent_session_id,
		title: row.title,
		startedAt: row.started_at,
		endedAt: row.ended_at,
		endReason: row.end_reason,
		messageCount: row.message_count,
		toolCallCount: row.tool_call_count,
		apiCallCount: row.api_call_count,
		usage: {
			inputTokens: row.input_tokens,
			outputTokens: row.output_tokens,
			cacheReadTokens: row.cache_read_tokens,
			cacheWriteTokens: row.cache_write_tokens,
			reasoningTokens: row.reasoning_tokens,
		},
		userId: row.user_id,
		modelConfig: modelConfigOf(row.model_config),
		costUsd: row.actual_cost_usd ?? row.estimated_cost_usd,
		rewindCount: row.rewind_count,
		archived: row.archived !== 0,
	};
}
