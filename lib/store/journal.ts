/** The write-ahead log: whether the file system can do it, and when it is written back into the database. */

import { Database } from "bun:sqlite";
import { rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { whenFree } from "./write.ts";

const writesPerCheckpoint = 50;
const largestLogBytes = 16 * 1024 * 1024;
const idleMs = 5_000;

/** File systems of a network (`statfs` types of Linux): several machines can write there, and share no memory. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
	[0x6969, "NFS"],
	[0x517b, "SMB"],
	[0xff534d42, "CIFS"],
	[0xfe534d42, "SMB"],
	[0x01021997, "9p"],
	[0x00c36400, "Ceph"],
	[0x5346414f, "AFS"],
	[0x0bd00bd0, "Lustre"],
]);

/**
 * Puts the database into WAL mode where that works; else it keeps SQLite's rollback journal, and `onWarning` is told.
 * Setting the mode first and looking afterwards would leave a file that says WAL and cannot be opened.
 */
export function chooseJournal(database: Database, path: string, onWarning: (message: string) => void): void {
	const mode = () => String(database.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode);
	// Setting it again, though it is in force, may unlink files that other processes hold.
	if (mode() !== "wal") {
		const hindrance = hindranceOf(path);
		if (hindrance !== undefined) {
			onWarning(`"${path}" is kept without a write-ahead log, so writers wait for readers: ${hindrance}`);
			return;
		}
		whenFree(path, () => database.run("PRAGMA journal_mode = WAL"));
	}
	// With a log this is safe against the death of the process; only a power cut can lose the last writes.
	if (mode() === "wal") database.run("PRAGMA synchronous = NORMAL");
}

function hindranceOf(path: string): string | undefined {
	const network = networkFileSystems.get(statfsSync(dirname(path)).type);
	if (network !== undefined) return `it is on ${network}; a HERMES_HOME on a local disk is faster and safer`;
	return canLog(path) ? undefined : "its file system cannot do it; a HERMES_HOME on another one is faster";
}

/** Tries it on another file. */
function canLog(path: string): boolean {
	const probe = `${path}.probe-${process.pid}`;
	try {
		using database = new Database(probe, { create: true, readwrite: true });
		database.run("PRAGMA journal_mode = WAL");
		database.run("CREATE TABLE probe (x)");
		return database.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode === "wal";
	} catch {
		return false;
	} finally {
		for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(probe + suffix, { force: true });
	}
}

/** Writes the log back now and then; disposing it does so for the last time. */
export interface Checkpoints extends Disposable {
	onCommit(): void;
}

/** Passive after every 50 writes; emptied when it is large or nothing was written for a while. Never waits for anybody. */
export function createCheckpoints(database: Database, path: string): Checkpoints {
	let writes = 0;
	let timer: Timer | undefined;
	const truncate = () => runCheckpoint(database, "TRUNCATE");
	const onIdle = () => {
		timer = undefined;
		if (!database.inTransaction) truncate();
	};
	return {
		onCommit() {
			// A process that has nothing else to do must be able to end.
			if (timer === undefined) timer = setTimeout(onIdle, idleMs).unref();
			else timer.refresh();
			writes++;
			if (writes % writesPerCheckpoint !== 0) return;
			runCheckpoint(database, "PASSIVE");
			if (logBytes(path) > largestLogBytes) truncate();
		},
		[Symbol.dispose]() {
			clearTimeout(timer);
			if (writes > 0) truncate();
		},
	};
}

function logBytes(path: string): number {
	return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function runCheckpoint(database: Database, mode: "PASSIVE" | "TRUNCATE"): void {
	try {
		// Emptying waits for readers; not for us.
		if (mode === "TRUNCATE") database.run("PRAGMA busy_timeout = 0");
		database.query(`PRAGMA wal_checkpoint(${mode})`).get();
	} catch {
		// A full disk or a reader: what was committed is safe in the log, and the next one comes.
	} finally {
		if (mode === "TRUNCATE") database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
	}
}

/** How long SQLite itself waits for a lock; `write.ts` tries again after it. */
export const busyTimeoutMs = 1_000;
