/** Transactions: writes that wait their turn when another process holds the database, reads that see one state only. */

import type { Database } from "bun:sqlite";
import { errorCode, storeRefusal } from "./refusal.ts";

/** Runs `work` in one transaction, from the first statement with the write lock; inside another one it is part of that. */
export type Write = <T>(work: () => T) => T;

/** Runs `work` so that all its statements see the same state. */
export type Read = <T>(work: () => T) => T;

/** What all parts of the store work on. */
export interface Connection {
	readonly database: Database;
	readonly path: string;
	readonly write: Write;
	readonly read: Read;
	/** Calls `run` when the transaction under way is committed, and never when it is not; at once outside of one. */
	readonly onceCommitted: (run: () => void) => void;
}

/** What else is done around transactions. */
export interface TransactionHooks {
	/** Called after every commit. */
	onCommit?(): void;
	/** Called when SQLite finds damage, once; true when what failed is worth another try. */
	mend?(): boolean;
}

/** Attempts, and the range of the pause between two: chance breaks the convoys that SQLite's own fixed schedule makes. */
const attempts = 15;
const pauseMs = { least: 20, most: 150 };

/** Transactions on `database`, whose file is `path`. */
export function createConnection(database: Database, path: string, hooks: TransactionHooks = {}): Connection {
	let mended = false;
	let waiting: (() => void)[] = [];
	const mending = <T>(run: () => T): T => {
		try {
			return run();
		} catch (cause) {
			if (mended || !isDamage(cause) || hooks.mend === undefined) throw cause;
			mended = true;
			if (!hooks.mend()) throw cause;
			return run();
		}
	};
	const write: Write = (work) => {
		if (database.inTransaction) return work();
		try {
			const result = mending(() => {
				waiting = [];
				return inTransaction(database, path, work);
			});
			for (const run of waiting) run();
			hooks.onCommit?.();
			return result;
		} catch (cause) {
			throw errorCode(cause).startsWith("SQLITE_") ? storeRefusal("write", path, cause) : cause;
		}
	};
	const read: Read = (work) => {
		if (database.inTransaction) return work();
		try {
			return mending(() => inSnapshot(database, path, work));
		} catch (cause) {
			throw isDamage(cause) ? storeRefusal("read", path, cause) : cause;
		}
	};
	const onceCommitted = (run: () => void) => void (database.inTransaction ? waiting.push(run) : run());
	return { database, path, write, read, onceCommitted };
}

function inTransaction<T>(database: Database, path: string, work: () => T): T {
	whenFree(path, () => database.run("BEGIN IMMEDIATE"));
	try {
		const result = work();
		// Without a write-ahead log it is the commit that waits for readers.
		whenFree(path, () => database.run("COMMIT"));
		return result;
	} catch (cause) {
		// A full disk makes SQLite roll back by itself; a second ROLLBACK would hide the reason.
		if (database.inTransaction) database.run("ROLLBACK");
		throw cause;
	}
}

function inSnapshot<T>(database: Database, path: string, work: () => T): T {
	return whenFree(path, () => {
		database.run("BEGIN");
		try {
			return work();
		} finally {
			if (database.inTransaction) database.run("ROLLBACK");
		}
	});
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

/** A constraint of our tables is named in the message; an index whose parts do not fit together fails without a name. */
function isDamage(cause: unknown): boolean {
	if (errorCode(cause).startsWith("SQLITE_CORRUPT")) return true;
	return cause instanceof Error && cause.message === "constraint failed";
}
