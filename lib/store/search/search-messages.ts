/** A search over all sessions: ranked, one hit a conversation, never an error for what was typed. */

import type { Database } from "bun:sqlite";
import { type FindMessages, type FoundRow, finderOf, indexesOf, type SearchFilters } from "./find-messages.ts";
import { lineageRoot } from "./lineage.ts";
import type { Indexes } from "./match.ts";
import { messageText } from "./message-text.ts";
import { type Reading, readingsOf } from "./plans.ts";
import { wantedTerms } from "./query.ts";
import { snippetOf } from "./snippet.ts";

/** What to look for. */
export interface SearchOptions extends SearchFilters {
	readonly query: string;
	/** Hits at most; 20 when left out. */
	readonly limit?: number | undefined;
	/** The conversation of this session is left out. */
	readonly without?: string | undefined;
	/** Every message that is found, not only the best of each conversation. */
	readonly allMessages?: boolean | undefined;
}

/** One message that was found. Times are seconds since 1970. */
export interface SearchHit {
	readonly sessionId: string;
	/** The first session of its conversation. */
	readonly rootId: string;
	readonly source: string;
	readonly model: string | null;
	readonly title: string | null;
	readonly cwd: string | null;
	readonly startedAt: number;
	readonly messageId: number;
	readonly role: string;
	readonly timestamp: number;
	/** About 40 words, with `>>>` and `<<<` around what was looked for. */
	readonly snippet: string;
}

/** What was found, best first. */
export interface SearchResult {
	readonly hits: readonly SearchHit[];
	/** The query as written found nothing: these have other endings of its words, or some of its words only. */
	readonly loosened?: Reading["loosened"];
	/** The index could not be used; the answer is right, and came slowly. */
	readonly problem?: string;
}

/** How many messages are looked through for enough conversations, step by step. */
const candidates = [50, 400, 3_000] as const;
const usualLimit = 20;

/**
 * Searches by the indexes that there are.
 * @throws {SQLiteError} When the database or one of its indexes cannot be read.
 */
export function searchMessages(database: Database, options: SearchOptions): SearchResult {
	return search(database, options, indexesOf(database));
}

/** The same answer from the messages alone, for a database whose index is damaged. */
export function searchWithoutIndex(database: Database, options: SearchOptions): SearchResult {
	const found = search(database, options, { words: false, letters: false, marks: false });
	return { ...found, problem: "the search index is damaged; hermes sessions repair makes it anew" };
}

function search(database: Database, options: SearchOptions, indexes: Indexes): SearchResult {
	for (const { node, loosened } of readingsOf(options.query)) {
		const rows = collect(database, options, finderOf(database, node, { ...options, indexes }));
		if (rows.length === 0) continue;
		const terms = wantedTerms(node);
		const hits = rows.map(({ row, rootId }) => hitOf(row, rootId, snippetOf(messageText(row), terms)));
		return loosened === undefined ? { hits } : { hits, loosened };
	}
	return { hits: [] };
}

interface Collected {
	readonly row: FoundRow;
	readonly rootId: string;
}

function collect(database: Database, options: SearchOptions, find: FindMessages): readonly Collected[] {
	const limit = Math.max(1, options.limit ?? usualLimit);
	const roots = new Map<string, string>();
	const rootOf = (sessionId: string) => {
		const known = roots.get(sessionId);
		if (known !== undefined) return known;
		const root = lineageRoot(database, sessionId);
		roots.set(sessionId, root);
		return root;
	};
	const left = options.without === undefined ? undefined : rootOf(options.without);
	for (const [step, count] of candidates.entries()) {
		const most = Math.max(count, limit);
		const rows = find(most);
		const found = rows.map((row) => ({ row, rootId: rootOf(row.session_id) })).filter(({ rootId }) => rootId !== left);
		const seen = new Set<string>();
		const kept = found.filter(({ rootId }) => options.allMessages || (!seen.has(rootId) && seen.add(rootId)));
		const isAll = rows.length < most || step === candidates.length - 1;
		if (kept.length >= limit || isAll) return kept.slice(0, limit);
	}
	return [];
}

function hitOf(row: FoundRow, rootId: string, snippet: string): SearchHit {
	return {
		sessionId: row.session_id,
		rootId,
		source: row.source,
		model: row.model,
		title: row.title,
		cwd: row.cwd,
		startedAt: row.started_at,
		messageId: row.id,
		role: row.role,
		timestamp: row.timestamp,
		snippet,
	};
}
