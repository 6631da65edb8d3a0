/** Taking sessions away: one by hand, old ones by age, and what belongs to them. */

import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgottenImages, imagesOf, removeUnusedImages } from "./images.ts";
import { deepestChain, kindWithParent } from "./lineage-rules.ts";
import type { PruneOptions, RemovalStore } from "./store.ts";
import { optimizeTextIndex } from "./text-index.ts";
import { type Connection, whenFree } from "./write.ts";

const daySeconds = 86_400;
const defaultDays = 90;
/** Sessions a transaction: other processes write in between. */
const batchSize = 20;
const orphanDays = 7;
const lastPrune = "last_auto_prune";

/** Old enough, and nothing that stays goes back to it. Delegates go with their parent, so they neither count nor are asked. */
const prunable = `WITH RECURSIVE aged(id) AS (
		SELECT id FROM sessions WHERE ended_at < $before AND ($source IS NULL OR source = $source)),
	kept(id) AS (
		SELECT id FROM sessions AS child WHERE id NOT IN (SELECT id FROM aged) AND ${kindWithParent("child")} <> 'delegate'
		UNION SELECT parent_session_id FROM sessions JOIN kept USING (id) WHERE parent_session_id IS NOT NULL)
	SELECT id FROM sessions AS child WHERE id IN (SELECT id FROM aged) AND id NOT IN (SELECT id FROM kept)
		AND (${kindWithParent("child")} <> 'delegate' OR parent_session_id IS NULL) ORDER BY started_at DESC, rowid DESC`;

/** Asked again in the transaction that deletes: somebody may have gone on with it since. */
const isStillPrunable = `SELECT 1 FROM sessions WHERE id = $id AND ended_at < $before AND NOT EXISTS (
	SELECT 1 FROM sessions AS child WHERE parent_session_id = $id AND ${kindWithParent("child")} <> 'delegate')`;

const ghosts = `SELECT id FROM sessions AS ghost WHERE source = 'tui' AND message_count = 0 AND started_at < $before
	AND NOT EXISTS (SELECT 1 FROM messages WHERE session_id = ghost.id)
	AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent_session_id = ghost.id)`;

const endOrphans = `UPDATE sessions AS child SET ended_at = $now, end_reason = 'orphaned_compression'
	WHERE ended_at IS NULL AND started_at < $before AND ${kindWithParent("child")} = 'continuation'
	AND NOT EXISTS (SELECT 1 FROM messages WHERE session_id = child.id AND timestamp >= $before)`;

/** The part of the store that takes away. */
export function createRemoval(connection: Connection): RemovalStore {
	const { write } = connection;
	return {
		deleteSession(sessionId) {
			const images: string[] = [];
			const gone = write(() => deleteTree(connection, sessionId, images));
			removeFiles(connection, gone);
			removeUnusedImages(connection, images);
			return gone;
		},
		prune: (options = {}) => prune(connection, options),
		maintain(options = {}) {
			try {
				return maintain(connection, options);
			} catch {
				// It runs by itself beside a conversation, and will be tried again.
				return 0;
			}
		},
	};
}

/** Deletes `sessionId` and its delegates, within the caller's transaction. The images of its messages are added to `images`. */
function deleteTree(connection: Connection, sessionId: string, images: string[]): readonly string[] {
	const { database } = connection;
	if (database.query("SELECT 1 FROM sessions WHERE id = ?").get(sessionId) === null) return [];
	const delegates = database.query<{ id: string }, { id: string }>(
		`SELECT id FROM sessions AS child WHERE parent_session_id = $id AND ${kindWithParent("child")} = 'delegate'`,
	);
	const tree = new Set([sessionId]);
	let level = [sessionId];
	for (let depth = 0; depth < deepestChain && level.length > 0; depth++) {
		level = level.flatMap((id) => delegates.all({ id }).map((child) => child.id)).filter((id) => !tree.has(id));
		for (const id of level) tree.add(id);
	}
	const ids = [...tree];
	for (const id of ids) {
		images.push(...imagesOf(connection, id));
		database.query("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = $id").run({ id });
		database.query("DELETE FROM messages WHERE session_id = $id").run({ id });
		database.query("DELETE FROM compression_locks WHERE session_id = $id").run({ id });
		database.query("DELETE FROM sessions WHERE id = $id").run({ id });
	}
	return ids;
}

function prune(connection: Connection, options: PruneOptions): readonly string[] {
	const { database, read, write } = connection;
	const { days = defaultDays, source = null, dryRun = false, now = Date.now() / 1000 } = options;
	const before = now - days * daySeconds;
	const found = read(() =>
		database.query<{ id: string }, { before: number; source: string | null }>(prunable).all({ before, source }),
	).map(({ id }) => id);
	if (dryRun) return found;
	const gone: string[] = [];
	const images: string[] = [];
	for (let start = 0; start < found.length; start += batchSize) {
		const batch = write(() =>
			found.slice(start, start + batchSize).flatMap((id) => {
				const still = database.query(isStillPrunable).get({ id, before });
				return still === null ? [] : deleteTree(connection, id, images);
			}),
		);
		gone.push(...batch);
	}
	removeFiles(connection, gone);
	removeUnusedImages(connection, [...images, ...forgottenImages(connection)]);
	return gone;
}

function maintain(connection: Connection, options: PruneOptions): number {
	const { database, path, read, write } = connection;
	const { now = Date.now() / 1000 } = options;
	const last = read(() =>
		database
			.query<{ value: string }, { key: string }>("SELECT value FROM state_meta WHERE key = $key")
			.get({ key: lastPrune }),
	);
	if (now - Number(last?.value ?? 0) < daySeconds) return 0;
	// First of all: a second process that comes now finds it done.
	write(() =>
		database
			.query("INSERT INTO state_meta (key, value) VALUES ($key, $value) ON CONFLICT(key) DO UPDATE SET value = $value")
			.run({ key: lastPrune, value: String(now) }),
	);
	write(() => database.query(endOrphans).run({ now, before: now - orphanDays * daySeconds }));
	const empty = read(() =>
		database.query<{ id: string }, { before: number }>(ghosts).all({ before: now - daySeconds }),
	);
	const ghostsGone = write(() => empty.flatMap(({ id }) => deleteTree(connection, id, [])));
	const gone = ghostsGone.length + prune(connection, options).length;
	if (gone === 0) return 0;
	write(() => optimizeTextIndex(database));
	whenFree(path, () => database.run("VACUUM"));
	return gone;
}

/** Logs and dumps of a session, which other parts of the program write beside the database. */
function removeFiles({ path }: Connection, ids: readonly string[]): void {
	const folder = join(dirname(path), "sessions");
	const exact = new Set(ids.flatMap((id) => [`${id}.json`, `${id}.jsonl`, `session_${id}.json`]));
	const isTheirs = (name: string) => exact.has(name) || ids.some((id) => name.startsWith(`request_dump_${id}_`));
	for (const name of namesIn(folder).filter(isTheirs)) rmSync(join(folder, name), { force: true });
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
