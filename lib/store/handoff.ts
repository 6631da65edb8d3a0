/** Sessions on their way to another platform: pending, running, then completed or failed. */

import type { HandoffState, HandoffStore } from "./store.ts";
import type { Connection } from "./write.ts";

interface HandoffRow {
	readonly state: HandoffState | null;
	readonly platform: string | null;
	readonly error: string | null;
}

const request = `UPDATE sessions SET handoff_state = 'pending', handoff_platform = $platform, handoff_error = NULL
	WHERE id = $sessionId AND coalesce(handoff_state, '') NOT IN ('pending', 'running')`;

const claim = `UPDATE sessions SET handoff_state = 'running' WHERE id = (SELECT id FROM sessions
	WHERE handoff_state = 'pending' AND handoff_platform = $platform ORDER BY started_at, rowid LIMIT 1) RETURNING id`;

const finish = `UPDATE sessions SET handoff_state = CASE WHEN $error IS NULL THEN 'completed' ELSE 'failed' END,
	handoff_error = $error WHERE id = $sessionId AND handoff_state IN ('pending', 'running')`;

/** The part of the store that is about handing over. */
export function createHandoffs({ database, write, read }: Connection): HandoffStore {
	return {
		requestHandoff(sessionId, platform) {
			return write(() => database.query(request).run({ sessionId, platform })).changes > 0;
		},
		claimHandoff(platform) {
			return write(() => database.query<{ id: string }, { platform: string }>(claim).get({ platform }))?.id;
		},
		finishHandoff(sessionId, error) {
			write(() => database.query(finish).run({ sessionId, error: error ?? null }));
		},
		handoffOf(sessionId) {
			const row = read(() =>
				database
					.query<HandoffRow, { sessionId: string }>(
						"SELECT handoff_state AS state, handoff_platform AS platform, handoff_error AS error FROM sessions WHERE id = $sessionId",
					)
					.get({ sessionId }),
			);
			if (row === null || row.state === null) return undefined;
			return { state: row.state, platform: row.platform ?? "", error: row.error };
		},
	};
}
