/** Write transactions that wait their turn when another process holds the database. */

import type { Database } from "bun:sqlite";
import { errorCode, storeRefusal } from "./refusal.ts";

/** Runs `work` in one transaction, from the first statement with the write lock. */
export type Write = <T>(work: () => T) => T;

/** Attempts, and the range of the pause between two: chance breaks the convoys that SQLite's own fixed schedule makes. */
const attempts = 15;
const pauseMs = { least: 20, most: 150 };

/** Transactions on `database`, whose file is `path`. */
export function createWriter(database: Database, path: string): Write {
	return (work) => {
		whenFree(path, () => database.run("BEGIN IMMEDIATE"));
		try {
			const result = work();
			database.run("COMMIT");
			return result;
		} catch (cause) {
			// A full disk makes SQLite roll back by itself; a second ROLLBACK would hide the reason.
			if (database.inTransaction) database.run("ROLLBACK");
			throw errorCode(cause).startsWith("SQLITE_") ? storeRefusal("write", path, cause) : cause;
		}
	};
}

/**
 * Runs `work`, again after a pause of random length while another process holds the database at `path`.
 * @throws {StoreRefused} When it does not become free.
 */
export function whenFree<T>(path: string, work: () => T): T {
	for (let attempt = 1; ; attempt++) {
		try {
			return work();
		} catch (cause) {
			if (!isBusy(cause)) throw cause;
			if (attempt === attempts) throw storeRefusal("write", path, cause);
			Bun.sleepSync(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
		}
	}
}

function isBusy(cause: unknown): boolean {
	return /^SQLITE_(BUSY|LOCKED)/.test(errorCode(cause));
}
