/** How a database of an older version of ours becomes one of this version; before that a copy is put beside it. */

import type { Database } from "bun:sqlite";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import {
	applicationId,
	compressionLocksTable,
	modelCallsTable,
	schema,
	schemaVersion,
	unspacedIndex,
} from "./schema.ts";
import { StoreRefused } from "./store.ts";
import { isUnspaced } from "./unspaced.ts";
import { type Connection, whenFree } from "./write.ts";

/** Step by the version that it leads to. */
const steps: ReadonlyMap<number, (database: Database) => void> = new Map([
	[2, toVersion2],
	[3, toVersion3],
]);

/** What a database says of its maker. */
export interface Mark {
	readonly application: number;
	readonly version: number;
}

/** The mark of an open database. */
export function markOf(database: Database): Mark {
	return { application: numberOf(database, "application_id"), version: numberOf(database, "user_version") };
}

/** @throws {StoreRefused} When `version` comes from a newer program. */
export function refuseNewer(path: string, version: number): void {
	if (version <= schemaVersion) return;
	throw new StoreRefused(
		`Cannot open "${path}": it has version ${version} and this hermes knows ${schemaVersion}; use a newer hermes`,
	);
}

/**
 * Makes the tables of an empty database, or brings older ones to this version.
 * @throws {StoreRefused} When the database is newer, or not ours.
 */
export function migrate({ database, path, write }: Connection): void {
	const { application, version } = markOf(database);
	if (application === applicationId && version === schemaVersion) return;
	const isOlder = application === applicationId && version < schemaVersion;
	const backup = isOlder ? backUp(database, path, version) : undefined;
	const migrated = write(() => {
		// Asked again under the lock: another process may have done it since, or be newer than the file's first page tells.
		const now = markOf(database);
		if (now.application !== applicationId) createTables(database, path);
		else refuseNewer(path, now.version);
		const from = now.application === applicationId ? now.version : schemaVersion;
		for (let next = from + 1; next <= schemaVersion; next++) steps.get(next)?.(database);
		if (from < schemaVersion) writeVersion(database);
		return from < schemaVersion;
	});
	if (backup !== undefined && !migrated) rmSync(backup, { force: true });
}

/** Makes all tables in an empty database, inside the caller's transaction. */
export function createTables(database: Database, path: string): void {
	const { tables } = database.query<{ tables: number }, []>("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {};
	if (tables !== 0) throw new StoreRefused(`Cannot open "${path}": it was made by another program`);
	database.run(schema);
	database.run(`PRAGMA application_id = ${applicationId}`);
	writeVersion(database);
}

/** A time for the name of a file that is kept: `20260131-235959`. */
export function stampOf(date: Date): string {
	return date.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

/** A copy that is whole, whatever others write meanwhile. */
function backUp(database: Database, path: string, version: number): string {
	const backup = `${path}.v${version}-${stampOf(new Date())}-${process.pid}`;
	try {
		// SQLite fills an empty file and keeps its mode.
		writeFileSync(backup, "", { mode: 0o600, flag: "wx" });
		chmodSync(backup, 0o600);
		whenFree(path, () => database.query("VACUUM INTO ?").run(backup));
		return backup;
	} catch (cause) {
		rmSync(backup, { force: true });
		throw cause;
	}
}

function writeVersion(database: Database): void {
	database.run("DELETE FROM schema_version");
	database.run(`INSERT INTO schema_version (version) VALUES (${schemaVersion})`);
	database.run(`PRAGMA user_version = ${schemaVersion}`);
}

/** What providers want back, calls of models, locks of compression, and the mark of rows for the trigram index. */
function toVersion2(database: Database): void {
	database.run("ALTER TABLE messages ADD COLUMN extra TEXT");
	database.run("ALTER TABLE messages ADD COLUMN unspaced INTEGER NOT NULL DEFAULT 0");
	database.run(modelCallsTable);
	database.run(compressionLocksTable);
	const mark = database.query("UPDATE messages SET unspaced = 1 WHERE id = ?");
	for (const id of unspacedRows(database)) mark.run(id);
	database.run(unspacedIndex);
}

/** What a call was for. Who comes from version 1 has the column already. */
function toVersion3(database: Database): void {
	const isThere = database.query("SELECT 1 FROM pragma_table_info('model_calls') WHERE name = 'task'").get() !== null;
	if (!isThere) database.run("ALTER TABLE model_calls ADD COLUMN task TEXT");
}

function unspacedRows(database: Database): readonly number[] {
	const rows = database.query<{ id: number; content: string | null; tool_calls: string | null }, []>(
		"SELECT id, content, tool_calls FROM messages",
	);
	const found: number[] = [];
	for (const { id, content, tool_calls } of rows.iterate()) if (isUnspaced(content, tool_calls)) found.push(id);
	return found;
}

function numberOf(database: Database, pragma: string): number {
	return Number(database.query<Record<string, unknown>, []>(`PRAGMA ${pragma}`).get()?.[pragma]);
}
