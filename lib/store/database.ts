/** Opens `state.db`: ours and no newer than we know, one of the Python hermes that becomes ours, or not at all. */

import { Database, constants as sqlite } from "bun:sqlite";
import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createClaims } from "./claims.ts";
import { createCompressionLocks } from "./compression-locks.ts";
import { createHandoffs } from "./handoff.ts";
import { busyTimeoutMs, chooseJournal, createCheckpoints } from "./journal.ts";
import { createLineage } from "./lineage.ts";
import { createMessages } from "./messages.ts";
import { type Mark, markOf, migrate, refuseNewer } from "./migrations.ts";
import { isPythonDatabase, takeOverPython } from "./python/take-over.ts";
import { errorCode, storeRefusal } from "./refusal.ts";
import { createRemoval } from "./removal.ts";
import { isMalformedSchema, mendSchema } from "./repair.ts";
import { applicationId } from "./schema.ts";
import { createSessions } from "./sessions.ts";
import { type Store, StoreRefused } from "./store.ts";
import { hasFullText, prepareTextIndex, rebuildTextIndex } from "./text-index.ts";
import { createTitles } from "./titles.ts";
import { createTransfer } from "./transfer.ts";
import { createUpkeep } from "./upkeep.ts";
import { createUsage } from "./usage.ts";
import { type Connection, createConnection } from "./write.ts";

/** How a database is opened. */
export interface OpenOptions {
	/** Told what the user should know though the database is open: slower than it could be, taken over, mended. */
	onWarning?(message: string): void;
}

/**
 * Opens the database at `path`, making it when there is none.
 * @throws {StoreRefused} When the file is not ours, comes from a newer program, or cannot be written.
 */
export function openStore(path: string, options: OpenOptions = {}): Store {
	const onWarning = (message: string) => options.onWarning?.(message);
	if (judge(path) === "python") takeOverPython(path, onWarning);
	try {
		return openOurs(path, onWarning);
	} catch (cause) {
		if (!isMalformedSchema(cause)) throw storeRefusal("open", path, cause);
		const kept = mendSchema(path);
		onWarning(`"${path}" had a damaged schema and was mended; as it was it is kept in "${kept}"`);
		return openOurs(path, onWarning);
	}
}

function openOurs(path: string, onWarning: (message: string) => void): Store {
	const database = openForWriting(path);
	try {
		database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
		database.run("PRAGMA foreign_keys = ON");
		const checkpoints = createCheckpoints(database, path);
		const connection = createConnection(database, path, {
			onCommit: checkpoints.onCommit,
			mend: () => mendIndex(database, path),
		});
		migrate(connection);
		keepPrivate(path);
		chooseJournal(database, path, onWarning);
		prepareTextIndex(database, connection.write, hasFullText(database));
		const close = () => {
			checkpoints[Symbol.dispose]();
			database.close();
		};
		return createStore(connection, close);
	} catch (cause) {
		database.close();
		throw cause;
	}
}

function createStore(connection: Connection, close: () => void): Store {
	const messages = createMessages(connection);
	const titles = createTitles(connection);
	const lineage = createLineage(connection, messages);
	return {
		...createSessions(connection),
		...messages,
		...createUsage(connection),
		...titles,
		...lineage,
		...createClaims(connection, lineage),
		...createCompressionLocks(connection),
		...createHandoffs(connection),
		...createRemoval(connection),
		...createTransfer(connection, titles.nextTitle),
		...createUpkeep(connection),
		read: (work) => connection.read(() => work(connection.database)),
		close,
		[Symbol.dispose]: close,
	};
}

/** What is damaged is most often the index, and that can be made again from the messages. */
function mendIndex(database: Database, path: string): boolean {
	if (!hasFullText(database)) return false;
	try {
		createConnection(database, path).write(() => rebuildTextIndex(database));
		return true;
	} catch {
		// More is damaged than the index: the first error says what.
		return false;
	}
}

/** Looks at the file without taking a lock or leaving a -wal or -shm beside it, as any other way of opening it would. */
function judge(path: string): "new" | "ours" | "python" {
	if (!existsSync(path)) return "new";
	const { size } = inspect(path);
	if (size === 0) return "new";
	const { application, version } = readMark(path);
	if (application === applicationId) {
		refuseNewer(path, version);
		return "ours";
	}
	if (application === 0 && isPythonDatabase(path)) return "python";
	throw new StoreRefused(
		`Cannot open "${path}": it was made by another program and was left untouched; set HERMES_HOME to another folder or move the file away`,
	);
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
	using database = new Database(address, sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI);
	return markOf(database);
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

function openForWriting(path: string): Database {
	// SQLite would make the file readable by the group; -wal and -shm take its mode.
	if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
	// SQLite would open it for reading, and the first message would be refused.
	accessSync(path, constants.W_OK);
	return new Database(path, { readwrite: true, create: false, strict: true });
}

/** Only its owner can change a mode, and nobody has to when it is right. */
function keepPrivate(path: string): void {
	const { mode, uid } = statSync(path);
	if ((mode & 0o077) !== 0 && uid === (process.getuid?.() ?? uid)) chmodSync(path, 0o600);
}
