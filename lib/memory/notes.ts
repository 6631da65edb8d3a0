/** The notes that last: `MEMORY.md` and `USER.md` of one HERMES_HOME, shared by every process that uses it. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../base/atomic-write.ts";
import { attempt } from "../base/attempt.ts";
import { takeFileLock } from "../base/file-lock.ts";
import { type Changed, changeEntries, type NotesChange } from "./change-entries.ts";
import { formatEntries, type ParsedEntries, parseEntries, sizeOf } from "./entries.ts";

/** Whose notes: the agent's own, or what it knows of the user. */
export type NotesTarget = "memory" | "user";

/** Characters that each may have, and where the files are. */
export interface NotesOptions {
	/** `HERMES_HOME/memories`; made at the first write. */
	readonly folder: string;
	readonly limits: Readonly<Record<NotesTarget, number>>;
}

/** What is in the notes now, and how full they are. */
export interface NotesState {
	readonly entries: readonly string[];
	readonly used: number;
	readonly limit: number;
}

/** The live notes. What a session was given at its start does not change with them. */
export interface Notes {
	/** @throws The error of the file system; a file that does not exist holds nothing. */
	read(target: NotesTarget): NotesState;
	/** Reads again under the lock, changes and writes whole or not at all. */
	change(
		target: NotesTarget,
		change: NotesChange,
		signal: AbortSignal,
	): Promise<Changed & { readonly state: NotesState }>;
}

const fileNames: Readonly<Record<NotesTarget, string>> = { memory: "MEMORY.md", user: "USER.md" };

/** Opens nothing and makes nothing yet. */
export function openNotes({ folder, limits }: NotesOptions): Notes {
	const stateOf = (target: NotesTarget, entries: readonly string[]): NotesState => ({
		entries,
		used: sizeOf(entries),
		limit: limits[target],
	});
	return {
		read: (target) => stateOf(target, readEntries(join(folder, fileNames[target])).entries),
		async change(target, change, signal) {
			const path = join(folder, fileNames[target]);
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			using _lock = await takeFileLock(`${path}.lock`, signal);
			const { text, ...parsed } = readEntries(path);
			const { entries } = parsed;
			const drift = driftOf(parsed, limits[target]);
			if (drift !== undefined) {
				const error = `Cannot change ${fileNames[target]}: ${drift}, so writing it would lose something. It was copied to ${keepCopy(path, text)}; ask the user to put a line with § between its notes`;
				return { ok: false, error, state: stateOf(target, entries) };
			}
			const changed = changeEntries(entries, change, limits[target]);
			if (!changed.ok) return { ...changed, state: stateOf(target, entries) };
			if (changed.entries !== entries) writeFileAtomically(path, formatEntries(changed.entries));
			return { ...changed, state: stateOf(target, changed.entries) };
		},
	};
}

interface ReadNotes extends ParsedEntries {
	readonly text: Uint8Array;
}

function readEntries(path: string): ReadNotes {
	const text = readOrNothing(path);
	const parsed = parseEntries(new TextDecoder().decode(text));
	return { ...parsed, isFaithful: parsed.isFaithful && isUtf8(text), text };
}

function readOrNothing(path: string): Uint8Array {
	try {
		return readFileSync(path);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Uint8Array();
		throw error;
	}
}

function isUtf8(bytes: Uint8Array): boolean {
	return attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).ok;
}

/** Somebody else wrote the file in another form (Hermes Agent #26045). */
function driftOf({ entries, isFaithful }: ParsedEntries, limit: number): string | undefined {
	if (!isFaithful) return "it holds something that is not a note";
	return entries.some((entry) => entry.length > limit)
		? "one of its notes is longer than all may be together"
		: undefined;
}

function keepCopy(path: string, text: Uint8Array): string {
	const copy = `${path}.bak.${Math.floor(Date.now() / 1000)}`;
	writeFileSync(copy, text, { mode: 0o600 });
	return copy;
}
