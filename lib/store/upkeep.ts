/** Looking after the file: what is in it, and what is wrong with it. */

import { statSync } from "node:fs";
import { damageOf, type MessageRow } from "./message-row.ts";
import type { StoreStats, UpkeepStore } from "./store.ts";
import { hasFullText, rebuildTextIndex, textIndexDamage } from "./text-index.ts";
import { type TokenColumns, usageOf } from "./usage.ts";
import type { Connection } from "./write.ts";

interface Sums extends TokenColumns {
	readonly sessions: number;
	readonly cost: number;
	readonly oldest: number | null;
	readonly newest: number | null;
}

const sums = `SELECT count(*) AS sessions, coalesce(sum(coalesce(actual_cost_usd, estimated_cost_usd)), 0) AS cost,
	min(started_at) AS oldest, max(started_at) AS newest, coalesce(sum(input_tokens), 0) AS input_tokens,
	coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
	coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens, coalesce(sum(reasoning_tokens), 0) AS reasoning_tokens
	FROM sessions`;

/** Findings of SQLite that are listed; a damaged file has them without end. */
const mostFindings = 20;

/** The part of the store that looks after the file. */
export function createUpkeep(connection: Connection): UpkeepStore {
	const { database, read, write } = connection;
	return {
		stats: () => read(() => statsOf(connection)),
		check: () => check(connection),
		rebuildIndex() {
			if (hasFullText(database)) write(() => rebuildTextIndex(database));
		},
		getMeta(key) {
			return read(() =>
				database
					.query<{ value: string }, { key: string }>("SELECT value FROM state_meta WHERE key = $key")
					.get({ key }),
			)?.value;
		},
		setMeta(key, value) {
			write(() =>
				database
					.query(
						"INSERT INTO state_meta (key, value) VALUES ($key, $value) ON CONFLICT(key) DO UPDATE SET value = $value",
					)
					.run({ key, value }),
			);
		},
	};
}

function statsOf({ database, path }: Connection): StoreStats {
	const row = database.query<Sums, []>(sums).get();
	const sources = database
		.query<{ source: string; sessions: number }, []>(
			"SELECT source, count(*) AS sessions FROM sessions GROUP BY source ORDER BY source",
		)
		.all();
	const { messages } = database.query<{ messages: number }, []>("SELECT count(*) AS messages FROM messages").get() ?? {
		messages: 0,
	};
	if (row === null) throw new Error(`Cannot count "${path}": nothing came of it`);
	return {
		sessions: row.sessions,
		messages,
		bySource: Object.fromEntries(sources.map(({ source, sessions }) => [source, sessions])),
		usage: usageOf(row),
		costUsd: row.cost,
		bytes: statSync(path).size,
		oldest: row.oldest,
		newest: row.newest,
	};
}

/** Reads everything; what stops one kind of look must not hide what the others find. */
function check({ database }: Connection): readonly string[] {
	return [integrityFindings, foreignKeyFindings, indexFindings, rowFindings].flatMap((look) => {
		try {
			return look(database);
		} catch (cause) {
			return [`it cannot be read to its end: ${cause instanceof Error ? cause.message : String(cause)}`];
		}
	});
}

function integrityFindings(database: Connection["database"]): string[] {
	return database
		.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${mostFindings})`)
		.all()
		.map(({ integrity_check }) => integrity_check.replace(/\s+/g, " "))
		.filter((finding) => finding !== "ok");
}

function foreignKeyFindings(database: Connection["database"]): string[] {
	return database
		.query<{ table: string; rowid: number; parent: string }, []>("PRAGMA foreign_key_check")
		.all()
		.slice(0, mostFindings)
		.map(({ table, rowid, parent }) => `row ${rowid} of ${table} names a row of ${parent} that is not there`);
}

function indexFindings(database: Connection["database"]): string[] {
	const damage = hasFullText(database) ? textIndexDamage(database) : "this SQLite cannot search full text";
	return damage === undefined ? [] : [damage];
}

function rowFindings(database: Connection["database"]): string[] {
	const findings: string[] = [];
	const rows = database.query<MessageRow, []>(
		`SELECT * FROM messages WHERE coalesce(tool_calls, extra, reasoning_details, codex_reasoning_items, codex_message_items) IS NOT NULL`,
	);
	for (const row of rows.iterate()) findings.push(...damageOf(row));
	return findings.slice(0, mostFindings);
}
