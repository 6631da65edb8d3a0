/** Locks on compressing a session: they expire, so that a holder that died keeps nobody waiting for long. */

import type { CompressionLocks } from "./store.ts";
import type { Connection } from "./write.ts";

/** How long a lock is good for without a heartbeat. */
const lockSeconds = 300;

const take = `INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at)
	VALUES ($sessionId, $holder, $now, $now + $seconds)
	ON CONFLICT(session_id) DO UPDATE SET
		acquired_at = CASE WHEN holder = excluded.holder THEN acquired_at ELSE excluded.acquired_at END,
		holder = excluded.holder, expires_at = excluded.expires_at
	WHERE holder = excluded.holder OR expires_at <= $now`;

/** The part of the store that is about compression. */
export function createCompressionLocks({ database, write, read }: Connection): CompressionLocks {
	return {
		takeCompressionLock(sessionId, holder, seconds = lockSeconds) {
			const now = Date.now() / 1000;
			return write(() => database.query(take).run({ sessionId, holder, seconds, now })).changes > 0;
		},
		releaseCompressionLock(sessionId, holder) {
			write(() =>
				database
					.query("DELETE FROM compression_locks WHERE session_id = $sessionId AND holder = $holder")
					.run({ sessionId, holder }),
			);
		},
		compressionHolder(sessionId) {
			const found = read(() =>
				database
					.query<{ holder: string }, { sessionId: string; now: number }>(
						"SELECT holder FROM compression_locks WHERE session_id = $sessionId AND expires_at > $now",
					)
					.get({ sessionId, now: Date.now() / 1000 }),
			);
			return found?.holder;
		},
	};
}
