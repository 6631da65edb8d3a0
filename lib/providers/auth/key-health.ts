/** What is known of keys from using them: how often, which rest and until when. Shared by all processes; holds digests, no keys. */

import { Database } from "bun:sqlite";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What is known of one key. */
export interface KeyHealth {
	readonly uses: number;
	/** Place in the order of all uses; the highest was the last. */
	readonly lastUse: number;
	/** Refusals in a row. */
	readonly refusals: number;
	/** Milliseconds of the clock; in the past for a key that may be used. */
	readonly restsUntil: number;
	/** Never accepted again. */
	readonly dead: boolean;
	/** Kind of the last refusal; empty after an answer. */
	readonly reason: string;
}

/** The table of one home. */
export interface HealthTable extends Disposable {
	of(fingerprint: string): KeyHealth;
	countUse(fingerprint: string): void;
	rest(fingerprint: string, rest: { readonly until: number; readonly reason: string; readonly dead: boolean }): void;
	/** An answer came: whatever was held against the key is forgotten. */
	forgive(fingerprint: string): void;
}

const row = z.object({
	uses: z.number(),
	last_use: z.number(),
	refusals: z.number(),
	rests_until: z.number(),
	dead: z.number(),
	reason: z.string(),
});

const unused: KeyHealth = { uses: 0, lastUse: 0, refusals: 0, restsUntil: 0, dead: false, reason: "" };

/** Opens, and if needed makes, the table in `home`. */
export function openHealthTable(home: string): HealthTable {
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const path = join(home, "keys.db");
	const database = new Database(path, { create: true });
	if (process.platform !== "win32") chmodSync(path, 0o600);
	database.run("PRAGMA busy_timeout = 5000");
	database.run(`CREATE TABLE IF NOT EXISTS key_health (fingerprint TEXT PRIMARY KEY, uses INTEGER NOT NULL DEFAULT 0,
		last_use INTEGER NOT NULL DEFAULT 0, refusals INTEGER NOT NULL DEFAULT 0, rests_until INTEGER NOT NULL DEFAULT 0,
		dead INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '')`);
	const find = database.query("SELECT * FROM key_health WHERE fingerprint = ?");

	return {
		of(fingerprint) {
			const found = row.safeParse(find.get(fingerprint)).data;
			if (found === undefined) return unused;
			const { last_use: lastUse, rests_until: restsUntil, dead, ...rest } = found;
			return { ...rest, lastUse, restsUntil, dead: dead === 1 };
		},
		countUse(fingerprint) {
			database.run(
				`INSERT INTO key_health (fingerprint, uses, last_use) VALUES (?1, 1, (SELECT COALESCE(MAX(last_use), 0) + 1 FROM key_health))
				ON CONFLICT (fingerprint) DO UPDATE SET uses = uses + 1,
					last_use = (SELECT MAX(last_use) + 1 FROM key_health)`,
				[fingerprint],
			);
		},
		rest(fingerprint, { until, reason, dead }) {
			database.run(
				`INSERT INTO key_health (fingerprint, refusals, rests_until, reason, dead) VALUES (?1, 1, ?2, ?3, ?4)
				ON CONFLICT (fingerprint) DO UPDATE SET refusals = refusals + 1, rests_until = ?2, reason = ?3, dead = ?4`,
				[fingerprint, until, reason, dead ? 1 : 0],
			);
		},
		forgive(fingerprint) {
			database.run(
				"UPDATE key_health SET refusals = 0, rests_until = 0, reason = '', dead = 0 WHERE fingerprint = ? AND reason <> ''",
				[fingerprint],
			);
		},
		[Symbol.dispose]: () => database.close(),
	};
}
