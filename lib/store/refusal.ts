/** One clear line for everything that SQLite and the file system refuse. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreRefused } from "./store.ts";

/** The refusal of `act` on the database at `path`; one that is a refusal already stays as it is. */
export function storeRefusal(
	act: "open" | "read" | "write" | "migrate" | "repair",
	path: string,
	cause: unknown,
): StoreRefused {
	if (cause instanceof StoreRefused) return cause;
	const code = errorCode(cause);
	const state = stateOf(code, path) ?? (cause instanceof Error ? cause.message : String(cause));
	return new StoreRefused(`Cannot ${act} "${path}": ${state}`, { cause });
}

/** `SQLITE_FULL`, `EACCES`, … or nothing. */
export function errorCode(cause: unknown): string {
	return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** Extended codes say more than most sentences need: `SQLITE_CORRUPT_VTAB` is told like `SQLITE_CORRUPT`. */
function stateOf(code: string, path: string): string | undefined {
	const state = states[code] ?? Object.entries(states).find(([name]) => code.startsWith(`${name}_`))?.[1];
	return state === notWritable ? notWritableState(path) : state;
}

const notWritable = "it cannot be written; check the permissions of its folder or set HERMES_HOME to another one";
const noSharedMemory =
	"its file system cannot share the write-ahead log between processes; move HERMES_HOME to a local disk";
const states: Readonly<Record<string, string>> = {
	SQLITE_NOTADB: "it is not a database; it was left untouched",
	SQLITE_CORRUPT: "it is damaged; keep a copy of it and run hermes sessions repair",
	SQLITE_CANTOPEN: notWritable,
	SQLITE_READONLY: notWritable,
	SQLITE_PERM: notWritable,
	SQLITE_FULL: "the disk is full",
	SQLITE_BUSY: "another process holds it",
	SQLITE_LOCKED: "another process holds it",
	SQLITE_PROTOCOL: noSharedMemory,
	SQLITE_IOERR_SHMMAP: noSharedMemory,
	SQLITE_IOERR_SHMOPEN: noSharedMemory,
	SQLITE_IOERR_SHMLOCK: noSharedMemory,
	SQLITE_IOERR_SHMSIZE: "the disk is full",
	SQLITE_IOERR: "its file system reported an error; check the disk",
	ENOENT: "its folder does not exist",
	ENOTDIR: "its folder is not a folder",
	EACCES: notWritable,
	EPERM: notWritable,
	EROFS: notWritable,
	ENOSPC: "the disk is full",
};

/** One run as another user, with sudo for example, leaves files that this user cannot write: then that is said. */
function notWritableState(path: string): string {
	const user = process.getuid?.();
	if (user === undefined || user === 0) return notWritable;
	for (const file of [path, `${path}-wal`, `${path}-shm`, dirname(path)]) {
		const owner = statSync(file, { throwIfNoEntry: false })?.uid;
		if (owner !== undefined && owner !== user) {
			return `"${file}" belongs to user ${owner} and you are user ${user}; change its owner or set HERMES_HOME to another folder`;
		}
	}
	return notWritable;
}
