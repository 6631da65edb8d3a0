/** Opens `state.db`: ours and no newer than we know, or not at all. */

import { constants, Database } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createMessages } from "./messages.ts";
import { errorCode, storeRefusal } from "./refusal.ts";
import { applicationId, schema, schemaVersion } from "./schema.ts";
import { createSessions } from "./sessions.ts";
import { type Store, StoreRefused } from "./store.ts";
import { createWriter, whenFree } from "./write.ts";

/** What the first page of a database says of its maker. */
interface Mark {
	readonly application: number;
	readonly version: number;
}

/** How long SQLite itself waits for a lock. Short, because it blocks this process; `write.ts` does the real waiting. */
const busyTimeoutMs = 200;

/**
 * Opens the database at `path`, making it when there is none.
 * @throws {StoreRefused} When the file is not ours, comes from a newer program, or cannot be written.
 */
export function openStore(path: string): Store {
	refuseForeign(path);
	const database = openForWriting(path);
	try {
		prepare(database, path);
		return createStore(database, path);
	} catch (cause) {
		database.close();
		throw storeRefusal("open", path, cause);
	}
}

function createStore(database: Database, path: string): Store {
	const write = createWriter(database, path);
	const close = () => database.close();
	return { ...createSessions(database, write), ...createMessages(database, write), close, [Symbol.dispose]: close };
}

/** Looks at the file without taking a lock or leaving a -wal or -shm beside it, as any other way of opening it would. */
function refuseForeign(path: string): void {
	if (!existsSync(path)) return;
	const { size } = inspect(path);
	if (size === 0) return;
	const { application, version } = readMark(path);
	if (application !== applicationId) {
		throw new StoreRefused(
			`Cannot open "${path}": it was made by another program and was left untouched; set HERMES_HOME to another folder or move the file away`,
		);
	}
	refuseNewer(path, version);
}

function inspect(path: string): { size: number } {
	const found = statSync(path);
	if (!found.isFile()) throw new StoreRefused(`Cannot open "${path}": it is not a file`);
	return found;
}

function readMark(path: string): Mark {
	try {
		return readMarkBySqlite(`${pathToFileURL(path).href}?immutable=1`);
	} catch (cause) {
		// A checkpoint that is under way, or that a kill or a full disk stopped, leaves a file with fewer pages than it claims;
		// the rest is safe in the -wal, which this look does not see. A file that is really damaged is refused when opened.
		if (errorCode(cause) === "SQLITE_CORRUPT") return readMarkByHand(path);
		throw storeRefusal("open", path, cause);
	}
}

function readMarkBySqlite(address: string): Mark {
	const database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
	try {
		return { application: numberOf(database, "application_id"), version: numberOf(database, "user_version") };
	} finally {
		database.close();
	}
}

/**
 * The same from the file's header (sqlite.org/fileformat.html §1.3). The second choice, because closing a file gives up the
 * locks that this process holds on it through another connection.
 */
function readMarkByHand(path: string): Mark {
	const header = Buffer.alloc(100);
	const file = openSync(path, "r");
	try {
		readSync(file, header, { position: 0 });
	} finally {
		closeSync(file);
	}
	return { application: header.readUInt32BE(68), version: header.readUInt32BE(60) };
}

function refuseNewer(path: string, version: number): void {
	if (version <= schemaVersion) return;
	throw new StoreRefused(
		`Cannot open "${path}": it has version ${version} and this hermes knows ${schemaVersion}; use a newer hermes`,
	);
}

function openForWriting(path: string): Database {
	try {
		// SQLite would make the file readable by the group; -wal and -shm take its mode.
		if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
		return new Database(path, { readwrite: true, create: false, strict: true });
	} catch (cause) {
		throw storeRefusal("open", path, cause);
	}
}

function prepare(database: Database, path: string): void {
	database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
	database.run("PRAGMA foreign_keys = ON");
	createWriter(
		database,
		path,
	)(() => {
		// Asked again under the lock: another process may have made the tables since, or be newer than the file's first page tells.
		if (numberOf(database, "application_id") !== applicationId) createTables(database, path);
		refuseNewer(path, numberOf(database, "user_version"));
	});
	chmodSync(path, 0o600);
	// Setting it again, though it is in force, may unlink files that other processes hold.
	if (textOf(database, "journal_mode") !== "wal") whenFree(path, () => database.run("PRAGMA journal_mode = WAL"));
	// In WAL mode this is safe against the death of the process; only a power cut can lose the last writes.
	database.run("PRAGMA synchronous = NORMAL");
}

function createTables(database: Database, path: string): void {
	const { tables } = database.query<{ tables: number }, []>("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {};
	if (tables !== 0) throw new StoreRefused(`Cannot open "${path}": it was made by another program`);
	database.run(schema);
	database.run("INSERT INTO schema_version (version) VALUES (?)", [schemaVersion]);
	database.run(`PRAGMA application_id = ${applicationId}`);
	database.run(`PRAGMA user_version = ${schemaVersion}`);
}

function numberOf(database: Database, pragma: string): number {
	return Number(pragmaOf(database, pragma));
}

function textOf(database: Database, pragma: string): string {
	return String(pragmaOf(database, pragma));
}

function pragmaOf(database: Database, pragma: string): unknown {
	return database.query<Record<string, unknown>, []>(`PRAGMA ${pragma}`).get()?.[pragma];
}
