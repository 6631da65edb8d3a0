/** Which sessions are one conversation: those that go on from one another. */

import type { Database } from "bun:sqlite";

/** Links that are followed; a chain that is longer is damaged. */
const longestChain = 100;

/** The first session of the conversation that `sessionId` belongs to; itself when it is unknown. */
export function lineageRoot(database: Database, sessionId: string): string {
	const row = database
		.query<{ id: string }, [string, number]>(
			`WITH RECURSIVE up(id, parent, depth) AS (
				SELECT id, parent_session_id, 0 FROM sessions WHERE id = ?
				UNION ALL
				SELECT s.id, s.parent_session_id, up.depth + 1 FROM sessions s JOIN up ON s.id = up.parent WHERE up.depth < ?
			) SELECT id FROM up ORDER BY depth DESC LIMIT 1`,
		)
		.get(sessionId, longestChain);
	return row?.id ?? sessionId;
}
