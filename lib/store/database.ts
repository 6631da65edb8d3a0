/** Opens `state.db`: ours and no newer than we know, or not at all. */

import { constants, Database } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createMessages } from "./messages.ts";
import { applicationId, schema, schemaVersion } from "./schema.ts";
import { createSessions } from "./sessions.ts";
import { type Store, StoreRefused } from "./store.ts";
import { createWriter, whenFree } from "./write.ts";

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
		throw refusal(path, cause);
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
	const { mark, version } = readMark(path);
	if (mark !== applicationId) {
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

function readMark(path: string, attemptsLeft = 10): { mark: number; version: number } {
	try {
		return readMarkOnce(`${pathToFileURL(path).href}?immutable=1`);
	} catch (cause) {
		// Without a lock a commit of another process may be seen half done; a file that is really damaged stays so.
		if (attemptsLeft === 0 || codeOf(cause) !== "SQLITE_CORRUPT") throw refusal(path, cause);
		Bun.sleepSync(20);
		return readMark(path, attemptsLeft - 1);
	}
}

function readMarkOnce(address: string): { mark: number; version: number } {
	const database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
	try {
		return { mark: numberOf(database, "application_id"), version: numberOf(database, "user_version") };
	} finally {
		database.close();
	}
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
		if (!existsSync(path)) closeSync(openSync(path, "wx", 0o600));
		return new Database(path, { readwrite: true, create: false, strict: true });
	} catch (cause) {
		throw refusal(path, cause);
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

function refusal(path: string, cause: unknown): StoreRefused {
	if (cause instanceof StoreRefused) return cause;
	const state = states[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause));
	return new StoreRefused(`Cannot open "${path}": ${state}`, { cause });
}

function codeOf(cause: unknown): string {
	return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

const notWritable = "it cannot be written; check the permissions of its folder or set HERMES_HOME to another one";
const states: Readonly<Record<string, string>> = {
	SQLITE_NOTADB: "it is not a database; it was left untouched",
	SQLITE_CORRUPT: "it is damaged; move it away and keep it for repair",
	SQLITE_CANTOPEN: notWritable,
	SQLITE_READONLY: notWritable,
	SQLITE_READONLY_DIRECTORY: notWritable,
	SQLITE_FULL: "the disk is full",
	SQLITE_BUSY: "another process holds it",
	ENOENT: "its folder does not exist",
	ENOTDIR: "its folder is not a folder",
	EACCES: notWritable,
	EPERM: notWritable,
	EROFS: notWritable,
	ENOSPC: "the disk is full",
};
