/** Takes over the `state.db` of the Python hermes: a new database with all its rows, and the old file beside it as it was. */

import { constants, Database } from "bun:sqlite";
import {
	closeSync,
	copyFileSync,
	existsSync,
	fsyncSync,
	linkSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type FileLock, tryFileLock } from "../../base/file-lock.ts";
import { isInUse } from "../in-use.ts";
import { markOf, stampOf } from "../migrations.ts";
import { storeRefusal } from "../refusal.ts";
import { applicationId } from "../schema.ts";
import { StoreRefused } from "../store.ts";
import { copyPythonRows } from "./copy-rows.ts";

/** The newest version of its schema that we know. */
const newestVersion = 16;
const lockWaitMs = 120_000;

/** Whether the file at `path` is such a database; it is only read. */
export function isPythonDatabase(path: string): boolean {
	// A take-over that was interrupted may have left nothing here but the first page.
	return versionOf(path) !== undefined || interruptedTakeOver(path) !== undefined;
}

/**
 * Puts a database of ours in the place of the Python one at `path`, which stays as `state.db.python-v<version>-<time>`. A
 * process that dies meanwhile leaves either the old file or the new one.
 * @throws {StoreRefused} When it is too new, in use, or cannot be copied; then nothing was changed.
 */
export function takeOverPython(path: string, onWarning: (message: string) => void): void {
	const lockPath = `${path}.take-over`;
	using _lock = waitForLock(lockPath, path);
	if (isOurs(path)) return;
	const version = versionOf(path) ?? 0;
	if (version > newestVersion) {
		throw new StoreRefused(
			`Cannot open "${path}": the Python hermes made it with version ${version} and this hermes knows ${newestVersion}; use a newer hermes`,
		);
	}
	if (isInUse(path)) throw new StoreRefused(`Cannot migrate "${path}": another program has it open; stop it first`);
	const fresh = `${path}.new`;
	removeDatabase(fresh);
	try {
		const kept = interruptedTakeOver(path) ?? keptName(path, version);
		const source = existsSync(kept) ? kept : path;
		copyPythonRows(source, fresh);
		keep(path, kept);
		syncFile(fresh);
		// The log of the old file must not meet the new one: SQLite would play it into that.
		for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
		renameSync(fresh, path);
		rmSync(`${kept}-shm`, { force: true });
		onWarning(`"${path}" was made by the Python hermes; its sessions were taken over, and it is kept in "${kept}"`);
	} catch (cause) {
		throw storeRefusal("migrate", path, cause);
	} finally {
		removeDatabase(fresh);
		rmSync(lockPath, { force: true });
	}
}

function versionOf(path: string): number | undefined {
	const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
	// All there is may still stand in the log, which only a look with locks reads.
	const look = existsSync(`${path}-wal`) ? "mode=ro" : "immutable=1";
	try {
		using database = new Database(`${pathToFileURL(path).href}?${look}`, flags);
		const columns = (table: string) =>
			database
				.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
				.all()
				.map(({ name }) => name);
		const hasAll = (table: string, wanted: string) => wanted.split(" ").every((name) => columns(table).includes(name));
		if (!hasAll("sessions", "id source started_at") || !hasAll("messages", "id session_id role content timestamp"))
			return undefined;
		return (
			database.query<{ version: number | null }, []>("SELECT max(version) AS version FROM schema_version").get()
				?.version ?? undefined
		);
	} catch {
		// Without that table, or not readable: none of theirs.
		return undefined;
	}
}

function isOurs(path: string): boolean {
	const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
	using database = new Database(`${pathToFileURL(path).href}?immutable=1`, flags);
	return markOf(database).application === applicationId;
}

function waitForLock(lockPath: string, path: string): FileLock {
	const until = Date.now() + lockWaitMs;
	for (;;) {
		const lock = tryFileLock(lockPath);
		if (lock !== undefined) return lock;
		if (Date.now() > until) throw new StoreRefused(`Cannot migrate "${path}": another process is at it`);
		Bun.sleepSync(50 + Math.random() * 100);
	}
}

function keptName(path: string, version: number): string {
	return `${path}.python-v${version}-${stampOf(new Date())}`;
}

/** A take-over that stopped after the old file had got its second name: that one, with its log, is whole. */
function interruptedTakeOver(path: string): string | undefined {
	const { ino, dev } = statSync(path);
	const prefix = `${basename(path)}.python-v`;
	return readdirSync(dirname(path))
		.filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name))
		.map((name) => join(dirname(path), name))
		.find((name) => {
			const found = statSync(name);
			return found.ino === ino && found.dev === dev;
		});
}

/** The log first: a name without its log would pass for the whole. */
function keep(path: string, kept: string): void {
	if (existsSync(kept)) return;
	// An empty log is only what looking at the file left.
	if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) nameAgain(`${path}-wal`, `${kept}-wal`);
	nameAgain(path, kept);
}

function nameAgain(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch {
		// Not every file system has second names.
		copyFileSync(from, to, constantsOfCopy);
		syncFile(to);
	}
}

/** COPYFILE_EXCL: never over another file. */
const constantsOfCopy = 1;

function syncFile(path: string): void {
	const file = openSync(path, "r+");
	try {
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

function removeDatabase(path: string): void {
	for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
}
