/** The `sessions` table: one row a conversation. */

import type { Database } from "bun:sqlite";
import type { NewSession, Store, StoredSession } from "./store.ts";
import type { Write } from "./write.ts";

interface SessionRow {
	readonly id: string;
	readonly source: string;
	readonly model: string | null;
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
}

const insertSession = `INSERT OR IGNORE INTO sessions
	(id, source, model, system_prompt, cwd, billing_provider, billing_base_url, parent_session_id, started_at)
	VALUES ($id, $source, $model, $systemPrompt, $cwd, $provider, $baseUrl, $parentSessionId, $startedAt)`;

const addTokens = `UPDATE sessions SET api_call_count = api_call_count + 1,
	input_tokens = input_tokens + $inputTokens, output_tokens = output_tokens + $outputTokens,
	cache_read_tokens = cache_read_tokens + $cacheReadTokens, cache_write_tokens = cache_write_tokens + $cacheWriteTokens,
	reasoning_tokens = reasoning_tokens + $reasoningTokens WHERE id = $sessionId`;

/** The part of the store that is about sessions. */
export function createSessions(
	database: Database,
	write: Write,
): Pick<Store, "createSession" | "useModel" | "endSession" | "addUsage" | "getSession" | "listSessions"> {
	return {
		createSession(session) {
			write(() => database.query(insertSession).run(valuesOf(session)));
		},
		useModel(sessionId, model) {
			write(() => database.query("UPDATE sessions SET model = $model WHERE id = $sessionId").run({ sessionId, model }));
		},
		endSession(sessionId, reason) {
			write(() =>
				database
					.query("UPDATE sessions SET ended_at = $now, end_reason = $reason WHERE id = $sessionId AND ended_at IS NULL")
					.run({ sessionId, reason, now: Date.now() / 1000 }),
			);
		},
		addUsage(sessionId, usage) {
			const { changes } = write(() => database.query(addTokens).run({ ...usage, sessionId }));
			// An UPDATE that meets no row is a silent loss.
			if (changes === 0) throw new Error(`Cannot add usage to session "${sessionId}": no such session`);
		},
		getSession(sessionId) {
			const row = database
				.query<SessionRow, { sessionId: string }>("SELECT * FROM sessions WHERE id = $sessionId")
				.get({ sessionId });
			return row === null ? undefined : sessionOf(row);
		},
		listSessions(limit = 100) {
			return database
				.query<SessionRow, { limit: number }>(
					"SELECT * FROM sessions ORDER BY started_at DESC, rowid DESC LIMIT $limit",
				)
				.all({ limit })
				.map(sessionOf);
		},
	};
}

function valuesOf(session: NewSession) {
	return {
		id: session.id,
		source: session.source,
		model: session.model ?? null,
		systemPrompt: session.systemPrompt ?? null,
		cwd: session.cwd ?? null,
		provider: session.provider ?? null,
		baseUrl: session.baseUrl ?? null,
		parentSessionId: session.parentSessionId ?? null,
		startedAt: session.startedAt ?? Date.now() / 1000,
	};
}

function sessionOf(row: SessionRow): StoredSession {
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
	};
}
