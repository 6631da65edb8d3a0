/** One clear line for everything that SQLite and the file system refuse. */

import { StoreRefused } from "./store.ts";

/** The refusal of `act` on the database at `path`; one that is a refusal already stays as it is. */
export function storeRefusal(act: "open" | "write", path: string, cause: unknown): StoreRefused {
	if (cause instanceof StoreRefused) return cause;
	const state = states[errorCode(cause)] ?? (cause instanceof Error ? cause.message : String(cause));
	return new StoreRefused(`Cannot ${act} "${path}": ${state}`, { cause });
}

/** `SQLITE_FULL`, `EACCES`, … or nothing. */
export function errorCode(cause: unknown): string {
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
	SQLITE_LOCKED: "another process holds it",
	ENOENT: "its folder does not exist",
	ENOTDIR: "its folder is not a folder",
	EACCES: notWritable,
	EPERM: notWritable,
	EROFS: notWritable,
	ENOSPC: "the disk is full",
};
