/** The `sessions` table: one row a conversation. */

import { continuationOf, kindWithParent } from "./lineage-rules.ts";
import { requireSession } from "./messages.ts";
import { newSessionColumns, type SessionRow, sessionOf } from "./session-row.ts";
import type { NewSession, SessionChange, SessionFilter, SessionStore, StoredSession } from "./store.ts";
import type { Connection } from "./write.ts";

const insert = `INSERT OR IGNORE INTO sessions (id, source, user_id, model, model_config, system_prompt, cwd,
	billing_provider, billing_base_url, parent_session_id, started_at)
	VALUES ($id, $source, $userId, $model, $modelConfig, $systemPrompt, $cwd, $provider, $baseUrl, $parentSessionId, $startedAt)`;

const end = "UPDATE sessions SET ended_at = $now, end_reason = $reason WHERE id = $sessionId AND ended_at IS NULL";

const change = `UPDATE sessions SET model = coalesce($model, model), model_config = coalesce($modelConfig, model_config),
	system_prompt = coalesce($systemPrompt, system_prompt), cwd = coalesce($cwd, cwd),
	archived = coalesce($archived, archived), actual_cost_usd = coalesce($actualCostUsd, actual_cost_usd)
	WHERE id = $sessionId`;

const select = `SELECT * FROM sessions WHERE ($source IS NULL OR source = $source) AND ($archived = 1 OR archived = 0)
	ORDER BY started_at DESC, rowid DESC LIMIT $limit OFFSET $offset`;

/** Only those that begin something: no continuation, no delegate. */
const selectRoots = `SELECT * FROM sessions AS child WHERE ($source IS NULL OR source = $source)
	AND ($archived = 1 OR archived = 0) AND ${kindWithParent("child")} IN ('root', 'branch', 'other')
	ORDER BY started_at DESC, rowid DESC LIMIT $limit OFFSET $offset`;

/** The part of the store that is about sessions. */
export function createSessions(connection: Connection): SessionStore {
	const { database, write, read } = connection;
	return {
		createSession: (session) => insertSession(connection, session),
		useModel(sessionId, model) {
			write(() => database.query("UPDATE sessions SET model = $model WHERE id = $sessionId").run({ sessionId, model }));
		},
		useProvider(sessionId, asked) {
			const set = "model = $model, billing_provider = $provider, billing_base_url = $baseUrl";
			write(() => database.query(`UPDATE sessions SET ${set} WHERE id = $sessionId`).run({ sessionId, ...asked }));
		},
		updateSession: (sessionId, changes) => updateSession(connection, sessionId, changes),
		endSession: (sessionId, reason) => endSession(connection, sessionId, reason),
		reopenSession(sessionId) {
			write(() => {
				requireSession(connection, sessionId);
				database
					.query("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = $sessionId")
					.run({ sessionId });
			});
		},
		getSession: (sessionId) => read(() => findSession(connection, sessionId)),
		listSessions(filter = {}) {
			return read(() =>
				listSessions(connection, typeof filter === "number" ? { limit: filter, archived: true } : filter),
			);
		},
		isInterrupted: (sessionId) => read(() => isInterrupted(connection, sessionId)),
	};
}

/** Adds a session inside or outside of a transaction. */
export function insertSession({ database, write }: Connection, session: NewSession): void {
	write(() => database.query(insert).run(newSessionColumns(session)));
}

/** Ends a session that has not ended. */
export function endSession({ database, write }: Connection, sessionId: string, reason: string): void {
	write(() => database.query(end).run({ sessionId, reason, now: Date.now() / 1000 }));
}

/** The session of that id. */
export function findSession({ database }: Connection, sessionId: string): StoredSession | undefined {
	const row = database
		.query<SessionRow, { sessionId: string }>("SELECT * FROM sessions WHERE id = $sessionId")
		.get({ sessionId });
	return row === null ? undefined : sessionOf(row);
}

function updateSession(connection: Connection, sessionId: string, changes: SessionChange): void {
	const { database, write } = connection;
	write(() => {
		requireSession(connection, sessionId);
		database.query(change).run({
			sessionId,
			model: changes.model ?? null,
			modelConfig: changes.modelConfig === undefined ? null : JSON.stringify(changes.modelConfig),
			systemPrompt: changes.systemPrompt ?? null,
			cwd: changes.cwd ?? null,
			archived: changes.archived === undefined ? null : Number(changes.archived),
			actualCostUsd: changes.actualCostUsd ?? null,
		});
	});
}

function listSessions(connection: Connection, filter: SessionFilter): readonly StoredSession[] {
	const { limit = 100, offset = 0, source = null, archived = false, roots = false } = filter;
	const found = connection.database
		.query<SessionRow, Record<string, string | number | null>>(roots ? selectRoots : select)
		.all({ limit, offset, source, archived: Number(archived) })
		.map(sessionOf);
	return roots ? found.map((session) => shownAsTip(connection, session)) : found;
}

/** A conversation that was compressed goes on in its newest part, and began when its first part did. */
function shownAsTip(connection: Connection, root: StoredSession): StoredSession {
	const tip = findSession(connection, continuationOf(connection, root.id));
	return tip === undefined ? root : { ...tip, startedAt: root.startedAt, title: tip.title ?? root.title };
}

function isInterrupted({ database }: Connection, sessionId: string): boolean {
	const last = database
		.query<{ role: string; tool_calls: string | null }, { sessionId: string }>(
			`SELECT role, tool_calls FROM messages WHERE session_id = $sessionId AND active = 1
			AND EXISTS (SELECT 1 FROM sessions WHERE id = $sessionId AND ended_at IS NULL) ORDER BY id DESC LIMIT 1`,
		)
		.get({ sessionId });
	return last !== null && (last.role !== "assistant" || last.tool_calls !== null);
}
