/** Past sessions for reading: search, and the views that follow it, on a connection that cannot write. */

import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { errorCode, storeRefusal } from "../refusal.ts";
import { StoreRefused } from "../store.ts";
import { lineageRoot } from "./lineage.ts";
import { type SearchOptions, type SearchResult, searchMessages, searchWithoutIndex } from "./search-messages.ts";
import {
	type BrowsedSession,
	browseSessions,
	endsOf,
	type MessageWindow,
	messagesAround,
	sessionOfMessage,
	spokenEnds,
	type ViewedMessage,
} from "./views.ts";

/** A session by name. Times are seconds since 1970. */
export interface ArchivedSession {
	readonly id: string;
	readonly source: string;
	readonly model: string | null;
	readonly title: string | null;
	readonly startedAt: number;
	readonly parentSessionId: string | null;
}

/** The sessions of one `state.db`. Every answer is of one moment; what other processes write is seen by the next one. */
export interface SessionArchive extends Disposable {
	search(options: SearchOptions): SearchResult;
	get(sessionId: string): ArchivedSession | undefined;
	/** The first session of the conversation that this one belongs to. */
	rootOf(sessionId: string): string;
	messagesAround(options: Parameters<typeof messagesAround>[1]): MessageWindow | undefined;
	endsOf(options: Parameters<typeof endsOf>[1]): ReturnType<typeof endsOf>;
	spokenEnds(
		sessionId: string,
		size: number,
	): { readonly start: readonly ViewedMessage[]; readonly end: readonly ViewedMessage[] };
	sessionOfMessage(messageId: number): string | undefined;
	browse(options: Parameters<typeof browseSessions>[1]): readonly BrowsedSession[];
}

/** Runs `work` so that all its queries see one state. */
export type ReadDatabase = <T>(work: (database: Database) => T) => T;

/** The sessions that `read` reaches: those of an open store. */
export function archiveOf(read: ReadDatabase): Omit<SessionArchive, keyof Disposable> {
	return {
		search(options) {
			try {
				return read((database) => searchMessages(database, options));
			} catch (cause) {
				if (!isDamage(cause)) throw cause;
				return read((database) => searchWithoutIndex(database, options));
			}
		},
		get: (sessionId) => read((database) => sessionOf(database, sessionId)),
		rootOf: (sessionId) => read((database) => lineageRoot(database, sessionId)),
		messagesAround: (options) => read((database) => messagesAround(database, options)),
		endsOf: (options) => read((database) => endsOf(database, options)),
		spokenEnds: (sessionId, size) => read((database) => spokenEnds(database, sessionId, size)),
		sessionOfMessage: (messageId) => read((database) => sessionOfMessage(database, messageId)),
		browse: (options) => read((database) => browseSessions(database, options)),
	};
}

/**
 * Opens the database at `path` for reading; nothing in it is changed, and it may be of an older or a newer program.
 * @throws {StoreRefused} When there is none, or it cannot be read.
 */
export function openArchive(path: string): SessionArchive {
	const database = openReadOnly(path);
	const read: ReadDatabase = (work) => {
		try {
			return database.transaction(() => work(database))();
		} catch (cause) {
			throw storeRefusal("read", path, cause);
		}
	};
	return { ...archiveOf(read), [Symbol.dispose]: () => database.close() };
}

/** What a search index that lost a part of itself makes SQLite say. */
function isDamage(cause: unknown): boolean {
	const origin = cause instanceof StoreRefused ? cause.cause : cause;
	return /^SQLITE_(CORRUPT|ERROR|NOTADB)/.test(errorCode(origin));
}

function openReadOnly(path: string): Database {
	if (!existsSync(path)) throw new StoreRefused(`Cannot read "${path}": there is no such database`);
	try {
		const database = new Database(path, { readonly: true, strict: true });
		database.run("PRAGMA busy_timeout = 1000");
		return database;
	} catch (cause) {
		throw storeRefusal("read", path, cause);
	}
}

function sessionOf(database: Database, sessionId: string): ArchivedSession | undefined {
	return (
		database
			.query<ArchivedSession, [string]>(
				"SELECT id, source, model, title, started_at AS startedAt, parent_session_id AS parentSessionId FROM sessions WHERE id = ?",
			)
			.get(sessionId) ?? undefined
	);
}
