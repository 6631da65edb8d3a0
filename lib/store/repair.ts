/** What can be done about a database that is damaged: mend its schema, or save every row that can still be read. */

import { Database } from "bun:sqlite";
import { closeSync, copyFileSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isInUse } from "./in-use.ts";
import { createTables, stampOf } from "./migrations.ts";
import { errorCode, storeRefusal } from "./refusal.ts";
import { StoreRefused } from "./store.ts";
import { hasFullText, indexNames, rebuildTextIndex, textIndexDamage } from "./text-index.ts";
import { createConnection } from "./write.ts";

/** What `repairStore()` found and did. */
export interface Repair {
	/** `sound`: nothing was to do. `index`: the search index was made again. `saved`: all readable rows are in a new file. */
	readonly outcome: "sound" | "index" | "saved";
	/** Where the file is kept as it was; undefined when it was sound. */
	readonly kept: string | undefined;
	/** Rows that could not be read. */
	readonly lost: number;
}

/** Whether SQLite cannot understand what stands in the schema. */
export function isMalformedSchema(cause: unknown): boolean {
	return cause instanceof Error && /malformed database schema/.test(`${cause.message} ${messageOf(cause.cause)}`);
}

/**
 * Takes what is wrong out of the schema: entries that are there twice, then the search index, which the next open makes again.
 * Gives where the file is kept as it was.
 */
export function mendSchema(path: string): string {
	const kept = keepRaw(path, "malformed-backup");
	if (!mendBy(path, removeDoubles)) mendBy(path, removeIndex);
	return kept;
}

/**
 * Looks at everything and repairs what is wrong. No other process may have the database open when rows must be saved.
 * @throws {StoreRefused} When it is no database at all, or cannot be read or written.
 */
export function repairStore(path: string): Repair {
	try {
		if (isSound(path)) return { outcome: "sound", kept: undefined, lost: 0 };
		const kept = keepRaw(path, "damaged");
		if (rebuildsIndex(path)) return { outcome: "index", kept, lost: 0 };
		if (isInUse(path)) throw new StoreRefused(`Cannot repair "${path}": another program has it open; stop it first`);
		if (replacesIndex(path)) return { outcome: "index", kept, lost: 0 };
		return { outcome: "saved", kept, lost: saveRows(path) };
	} catch (cause) {
		throw storeRefusal("repair", path, cause);
	} finally {
		removeDatabase(savedPath(path));
	}
}

function savedPath(path: string): string {
	return `${path}.saved`;
}

function open(path: string): Database {
	const database = new Database(path, { readwrite: true, create: false, strict: true });
	database.run("PRAGMA busy_timeout = 1000");
	return database;
}

function isSound(path: string): boolean {
	using database = open(path);
	try {
		return isWhole(database) && (!hasFullText(database) || textIndexDamage(database) === undefined);
	} catch (cause) {
		if (errorCode(cause) === "SQLITE_NOTADB") throw cause;
		// What cannot even be read is what this is for.
		return false;
	}
}

function isWhole(database: Database): boolean {
	const rows = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
	return rows[0]?.integrity_check === "ok";
}

function rebuildsIndex(path: string): boolean {
	using database = open(path);
	try {
		createConnection(database, path).write(() => {
			rebuildTextIndex(database);
			// Not committed when it was not the index alone.
			if (!isWhole(database)) throw new Error("more is damaged than the index");
		});
		return textIndexDamage(database) === undefined;
	} catch {
		return false;
	}
}

/** An index that cannot be opened cannot be dropped either: its entries are taken out, and VACUUM leaves its pages behind. */
function replacesIndex(path: string): boolean {
	try {
		editSchema(path, removeIndex);
	} catch {
		return false;
	}
	return rebuildsIndex(path);
}

const tables = ["sessions", "messages", "state_meta", "model_calls"];

/** Reads row by row, so that a damaged page costs only what stands on it. Gives how many rows could not be read. */
function saveRows(path: string): number {
	const fresh = savedPath(path);
	removeDatabase(fresh);
	let lost = 0;
	{
		closeSync(openSync(fresh, "wx", 0o600));
		using target = open(fresh);
		using source = open(path);
		createConnection(target, fresh).write(() => {
			createTables(target, fresh);
			for (const table of tables) lost += copyReadable(source, target, table);
			addMissingSessions(target);
			if (hasFullText(target)) rebuildTextIndex(target);
		});
	}
	for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
	renameSync(fresh, path);
	return lost;
}

type Row = Record<string, string | number | null>;

function copyReadable(source: Database, target: Database, table: string): number {
	const known = new Set(
		target
			.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
			.all()
			.map(({ name }) => name),
	);
	const read = source.query<Row, { id: number }>(`SELECT * FROM ${table} NOT INDEXED WHERE rowid = $id`);
	let lost = 0;
	for (let id = 1; id <= lastRow(source, table); id++) {
		try {
			const row = read.get({ id });
			if (row !== null)
				insert(
					target,
					table,
					Object.entries(row).filter(([name]) => known.has(name)),
				);
		} catch {
			lost++;
		}
	}
	return lost;
}

/** The counter of the table knows it when the page that holds the last row is lost. */
function lastRow(source: Database, table: string): number {
	const ask = (statement: string) => {
		try {
			return source.query<{ last: number | null }, []>(statement).get()?.last ?? 0;
		} catch {
			return 0;
		}
	};
	return Math.max(
		ask(`SELECT max(rowid) AS last FROM ${table} NOT INDEXED`),
		ask(`SELECT seq AS last FROM sqlite_sequence WHERE name = '${table}'`),
	);
}

function insert(
	target: Database,
	table: string,
	entries: readonly (readonly [string, string | number | null])[],
): void {
	const names = entries.map(([name]) => name);
	target
		.query(`INSERT OR IGNORE INTO ${table} (${names.join(",")}) VALUES (${names.map(() => "?").join(",")})`)
		.run(...entries.map(([, value]) => value));
}

/** Messages whose session was lost get one, so that they can be found. */
function addMissingSessions(target: Database): void {
	target.run(`INSERT INTO sessions (id, source, started_at, message_count, title)
		SELECT session_id, 'saved', min(timestamp), count(*), 'saved ' || session_id FROM messages
		WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`);
}

function mendBy(path: string, mend: (database: DatabaseSync) => void): boolean {
	editSchema(path, mend);
	using database = open(path);
	try {
		database.query("SELECT count(*) FROM sqlite_schema").get();
		return true;
	} catch {
		return false;
	}
}

/** Bun's own module guards the schema against every change; in this mode SQLite takes it as it is. */
function editSchema(path: string, edit: (database: DatabaseSync) => void): void {
	const database = new DatabaseSync(path, { defensive: false });
	try {
		database.exec("PRAGMA busy_timeout = 1000; PRAGMA writable_schema = ON");
		edit(database);
	} finally {
		database.close();
	}
}

function removeDoubles(database: DatabaseSync): void {
	database.exec(
		"DELETE FROM sqlite_schema WHERE rowid NOT IN (SELECT min(rowid) FROM sqlite_schema GROUP BY type, name)",
	);
}

function removeIndex(database: DatabaseSync): void {
	const names = indexNames.map((name) => `'${name}'`).join(",");
	database.exec(`DELETE FROM sqlite_schema WHERE name IN (${names}) OR tbl_name IN (${names})`);
	database.exec("PRAGMA writable_schema = RESET");
	database.exec("VACUUM");
}

function keepRaw(path: string, reason: string): string {
	const kept = `${path}.${reason}-${stampOf(new Date())}`;
	for (const suffix of ["", "-wal", "-shm"]) if (existsSync(path + suffix)) copyFileSync(path + suffix, kept + suffix);
	return kept;
}

function removeDatabase(path: string): void {
	for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
}

function messageOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : "";
}
