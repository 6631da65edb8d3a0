/** A lock between processes that the kernel itself releases when its holder dies, so that it is never stale. */

import { Database, SQLiteError } from "bun:sqlite";

/** Longest pause between two tries. */
const longestPauseMs = 50;

/** A held lock; dispose it to let others in. */
export interface FileLock extends Disposable {
	readonly path: string;
}

/**
 * Takes the lock of `path` if nobody holds it, else answers undefined at once. The lock is SQLite's own (a record lock
 * on POSIX, `LockFileEx` on Windows): unlike a lock file with a process id in it, it needs no guess about whether the
 * holder still lives. The file stays, empty; the folder must exist.
 */
export function tryFileLock(path: string): FileLock | undefined {
	const database = new Database(path, { create: true });
	try {
		database.run("BEGIN EXCLUSIVE");
	} catch (error) {
		database.close();
		if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) return undefined;
		throw error;
	}
	return { path, [Symbol.dispose]: () => database.close() };
}

/**
 * Waits for the lock of `path`.
 * @throws The reason of `signal` when it is aborted first.
 */
export async function takeFileLock(path: string, signal: AbortSignal): Promise<FileLock> {
	for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
		signal.throwIfAborted();
		const lock = tryFileLock(path);
		if (lock) return lock;
		// Waiters that pause equally long would keep meeting each other.
		await Bun.sleep(pauseMs * (0.5 + Math.random()));
	}
}
