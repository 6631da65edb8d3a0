/** Runs one reading of a query against the database. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import { conditionOf, type Indexes, textHas, wordsQuery } from "./match.ts";
import { type Node, type Term, wantedTerms } from "./query.ts";

/** What messages count, and in what order. Times are seconds since 1970. */
export interface SearchFilters {
	/** Surfaces whose sessions count; all but the hidden ones when left out. */
	readonly sources?: readonly string[] | undefined;
	/** `user`, `assistant`, `tool`; all when left out. */
	readonly roles?: readonly string[] | undefined;
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	/** Sessions that worked in this folder or below it. */
	readonly folder?: string | undefined;
	/** `best` when left out. */
	readonly sort?: "best" | "newest" | "oldest" | undefined;
}

/** A found message with its session. */
export interface FoundRow {
	readonly id: number;
	readonly session_id: string;
	readonly role: string;
	readonly content: string | null;
	readonly tool_name: string | null;
	readonly tool_calls: string | null;
	readonly timestamp: number;
	readonly source: string;
	readonly model: string | null;
	readonly title: string | null;
	readonly cwd: string | null;
	readonly started_at: number;
}

/** Sessions that nobody holds a conversation in. They are found only when their source is named. */
export const hiddenSources: readonly string[] = ["subagent", "tool"];

/** A function that gives the first `limit` messages. */
export type FindMessages = (limit: number) => readonly FoundRow[];

const columns = `m.id, m.session_id, m.role, m.content, m.tool_name, m.tool_calls, m.timestamp,
	s.source, s.model, s.title, s.cwd, s.started_at`;

/** What `database` has now; one of another program or version may have less. */
export function indexesOf(database: Database): Indexes {
	const names = database
		.query<{ name: string }, []>(
			`SELECT name FROM sqlite_schema WHERE name IN ('messages_fts', 'messages_fts_trigram')
			UNION ALL SELECT name FROM pragma_table_info('messages') WHERE name = 'unspaced'`,
		)
		.all()
		.map(({ name }) => name);
	const has = (name: string) => names.includes(name);
	return { words: has("messages_fts"), letters: has("messages_fts_trigram"), marks: has("unspaced") };
}

/** What an earlier search found is there twice, and the copy would be found ever more often. */
const notOfSearches = " AND coalesce(m.tool_name, '') <> 'session_search'";

/** Looks for `node`; rows that were taken back are not there. */
export function finderOf(
	database: Database,
	node: Node,
	{ indexes, ...filters }: SearchFilters & { readonly indexes: Indexes },
): FindMessages {
	const inWords = wordsQuery(node, indexes);
	const filter = filterOf(filters);
	const literal = literalOrder(wantedTerms(node));
	const { sort = "best" } = filters;
	// The index comes first and in its own order: then only the rows that are shown are read.
	const [from, condition] =
		inWords === undefined
			? (["messages m JOIN sessions s ON s.id = m.session_id", conditionOf(node, indexes)] as const)
			: ([
					"messages_fts CROSS JOIN messages m ON m.id = messages_fts.rowid CROSS JOIN sessions s ON s.id = m.session_id",
					{ sql: "messages_fts MATCH ?", values: [inWords] },
				] as const);
	const byRank = inWords === undefined ? "m.timestamp DESC, m.id DESC" : "messages_fts.rank";
	const best = literal.sql === "" ? byRank : `${literal.sql} DESC, ${byRank}`;
	const order = { best, newest: "m.timestamp DESC, m.id DESC", oldest: "m.timestamp, m.id" }[sort];
	const ordered = sort === "best" ? literal.values : [];
	const query = database.query<FoundRow, SQLQueryBindings[]>(
		`SELECT ${columns} FROM ${from} WHERE ${condition.sql} AND m.active = 1${notOfSearches}${filter.sql} ORDER BY ${order} LIMIT ?`,
	);
	return (limit) => query.all(...condition.values, ...filter.values, ...ordered, limit);
}

function filterOf(filters: SearchFilters) {
	const parts: string[] = [];
	const values: (string | number)[] = [];
	const add = (sql: string, ...more: readonly (string | number)[]) => {
		parts.push(` AND ${sql}`);
		values.push(...more);
	};
	const { sources, roles, since, until, folder } = filters;
	if (sources !== undefined && sources.length > 0) add(`s.source IN (${marks(sources)})`, ...sources);
	else add(`s.source NOT IN (${marks(hiddenSources)})`, ...hiddenSources);
	if (roles !== undefined && roles.length > 0) add(`m.role IN (${marks(roles)})`, ...roles);
	if (since !== undefined) add("m.timestamp >= ?", since);
	if (until !== undefined) add("m.timestamp < ?", until);
	const root = folder?.replace(/(?<=.)\/+$/, "");
	// By code points, not LIKE: names of folders may hold % and capitals.
	if (root !== undefined && root !== "/")
		add("(s.cwd = ? OR substr(s.cwd, 1, length(?) + 1) = ? || '/')", root, root, root);
	return { sql: parts.join(""), values };
}

function marks(values: readonly unknown[]): string {
	return values.map(() => "?").join(", ");
}

/** The index drops signs: what has `C#` as it was written comes before what only has a `c`. */
function literalOrder(terms: readonly Term[]) {
	const literal = terms
		.filter(({ text, by }) => by === "words" && /[^\p{L}\p{N}\p{M}\s]/u.test(text))
		.map(({ text }) => textHas(text));
	return { sql: literal.map(({ sql }) => `(${sql})`).join(" + "), values: literal.flatMap(({ values }) => values) };
}
