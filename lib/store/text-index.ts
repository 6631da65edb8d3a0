/**
 * The full-text indexes over `messages`: `messages_fts` by words, `messages_fts_trigram` by three characters for rows in
 * scripts without spaces. Both keep no text of their own; triggers keep them equal to the table.
 */

import type { Database } from "bun:sqlite";
import type { Write } from "./write.ts";

/** What stands in an index for one row: the text, the tool's name and the calls as they are stored. */
const textOf = (row: string) =>
	`coalesce(${row}.content, '') || ' ' || coalesce(${row}.tool_name, '') || ' ' || coalesce(${row}.tool_calls, '')`;

const add = (index: string) => `INSERT INTO ${index}(rowid, content) SELECT new.id, ${textOf("new")}`;
const take = (index: string) =>
	`INSERT INTO ${index}(${index}, rowid, content) SELECT 'delete', old.id, ${textOf("old")}`;
const words = "messages_fts";
const trigrams = "messages_fts_trigram";
/** Only these columns are indexed: a rewind, which changes `active`, costs the index nothing. */
const indexed = "content, tool_name, tool_calls";

/** Statement by name, in the order in which they are made. They stand in `sqlite_schema` letter for letter. */
const objects: Readonly<Record<string, string>> = {
	messages_text: `CREATE VIEW messages_text (id, content) AS SELECT id, ${textOf("messages")} FROM messages`,
	messages_unspaced: `CREATE VIEW messages_unspaced (id, content) AS SELECT id, ${textOf("messages")} FROM messages WHERE unspaced = 1`,
	[words]: `CREATE VIRTUAL TABLE ${words} USING fts5(content, content='messages_text', content_rowid='id', tokenize='unicode61 remove_diacritics 2')`,
	[trigrams]: `CREATE VIRTUAL TABLE ${trigrams} USING fts5(content, content='messages_unspaced', content_rowid='id', tokenize='trigram')`,
	messages_fts_insert: `CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN ${add(words)}; END`,
	messages_fts_delete: `CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN ${take(words)}; END`,
	messages_fts_update: `CREATE TRIGGER messages_fts_update AFTER UPDATE OF ${indexed} ON messages BEGIN ${take(words)}; ${add(words)}; END`,
	messages_fts_trigram_insert: `CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages WHEN new.unspaced = 1 BEGIN ${add(trigrams)}; END`,
	messages_fts_trigram_delete: `CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages WHEN old.unspaced = 1 BEGIN ${take(trigrams)}; END`,
	messages_fts_trigram_update: `CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE OF ${indexed}, unspaced ON messages WHEN old.unspaced = 1 OR new.unspaced = 1 BEGIN ${take(trigrams)} WHERE old.unspaced = 1; ${add(trigrams)} WHERE new.unspaced = 1; END`,
};

const triggers = Object.keys(objects).filter((name) => objects[name]?.startsWith("CREATE TRIGGER"));
const views = Object.keys(objects).filter((name) => objects[name]?.startsWith("CREATE VIEW"));
const shadows = [words, trigrams].flatMap((name) =>
	["data", "idx", "content", "docsize", "config"].map((part) => `${name}_${part}`),
);

/** Names of everything that belongs to the indexes, for those who must tell it from the tables that hold data. */
export const indexNames: readonly string[] = [...Object.keys(objects), ...shadows];

/** Whether this SQLite can search full text at all. */
export function hasFullText(database: Database): boolean {
	return database.query("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== null;
}

/**
 * Makes the indexes when they are missing, half there or of another shape, and fills them from the table. Without full-text
 * search (`canIndex`) the triggers go, so that messages can be written; the next open that has it makes everything again.
 */
export function prepareTextIndex(database: Database, write: Write, canIndex: boolean): void {
	if (!canIndex) {
		if (countOf(database, triggers) > 0) write(() => dropAll(database, "TRIGGER", triggers));
		return;
	}
	if (isComplete(database)) return;
	// Asked again under the lock: another process may have made them meanwhile.
	write(() => void (isComplete(database) || rebuildTextIndex(database)));
}

/** Throws the indexes away and makes them from the table, inside the caller's transaction. */
export function rebuildTextIndex(database: Database): void {
	dropAll(database, "TRIGGER", triggers);
	dropAll(database, "TABLE", [words, trigrams]);
	// What an interrupted change left of an index stands in the way of the next one (#56815).
	dropAll(database, "TABLE", shadows);
	dropAll(database, "VIEW", views);
	for (const statement of Object.values(objects)) database.run(statement);
	for (const name of [words, trigrams]) database.run(`INSERT INTO ${name}(${name}) VALUES ('rebuild')`);
}

/** Compares every entry of the indexes with the table. Gives what is wrong, or nothing; takes the time of a rebuild. */
export function textIndexDamage(database: Database): string | undefined {
	if (!isComplete(database)) return "the search index is incomplete";
	try {
		for (const name of [words, trigrams]) {
			database.run(`INSERT INTO ${name}(${name}, rank) VALUES ('integrity-check', 1)`);
		}
		return undefined;
	} catch (cause) {
		return `the search index differs from the messages: ${cause instanceof Error ? cause.message : String(cause)}`;
	}
}

/** Merges the parts of the indexes that grew with single messages. */
export function optimizeTextIndex(database: Database): void {
	if (!isComplete(database)) return;
	for (const name of [words, trigrams]) database.run(`INSERT INTO ${name}(${name}) VALUES ('optimize')`);
}

function isComplete(database: Database): boolean {
	const rows = database
		.query<{ name: string; sql: string | null }, []>(
			"SELECT name, sql FROM sqlite_schema WHERE name LIKE 'messages\\_%' ESCAPE '\\'",
		)
		.all();
	const found = new Map(rows.map(({ name, sql }) => [name, sql]));
	const shadowsFound = shadows.filter((name) => found.has(name)).length;
	// An index over the content of another table has no `_content` of its own.
	return Object.entries(objects).every(([name, sql]) => found.get(name) === sql) && shadowsFound === shadows.length - 2;
}

function countOf(database: Database, names: readonly string[]): number {
	const marks = names.map(() => "?").join(",");
	const { found } = database
		.query<{ found: number }, string[]>(`SELECT count(*) AS found FROM sqlite_schema WHERE name IN (${marks})`)
		.get(...names) ?? { found: 0 };
	return found;
}

function dropAll(database: Database, kind: "TRIGGER" | "TABLE" | "VIEW", names: readonly string[]): void {
	for (const name of names) database.run(`DROP ${kind} IF EXISTS ${name}`);
}
