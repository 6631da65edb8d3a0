/** Copies the rows of a Python `state.db` into a new database of ours. */

import { constants, Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createTables } from "../migrations.ts";
import { hasFullText, indexNames, rebuildTextIndex } from "../text-index.ts";
import { isUnspaced } from "../unspaced.ts";
import { plainText } from "./structured-content.ts";

type Value = string | number | null | Uint8Array;
type Row = Readonly<Record<string, Value>>;

/** Tables that are not copied as they are: ours are filled by name, and locks belong to processes that are gone. */
const ownTables = ["schema_version", "sessions", "messages", "model_calls", "compression_locks"];

/** Fills a new database at `target` from the one at `source`, which is only read. */
export function copyPythonRows(source: string, target: string): void {
	closeSync(openSync(target, "wx", 0o600));
	using database = new Database(target, constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_URI);
	// Nobody reads it before it is whole, and it is synchronized then.
	database.run("PRAGMA synchronous = OFF");
	database.run("PRAGMA foreign_keys = OFF");
	database.query("ATTACH ? AS old").run(`${pathToFileURL(source).href}?mode=ro`);
	database.run("BEGIN IMMEDIATE");
	createTables(database, target);
	copySessions(database);
	copyMessages(database);
	copyOtherTables(database);
	requireSameCounts(database);
	database.run("COMMIT");
	database.run("DETACH old");
	// Only now: the indexes of the old database have the same names.
	if (hasFullText(database)) database.transaction(() => rebuildTextIndex(database))();
}

function columnsOf(database: Database, schema: "main" | "old", table: string): readonly string[] {
	return database
		.query<{ name: string }, [string, string]>("SELECT name FROM pragma_table_info(?, ?)")
		.all(table, schema)
		.map(({ name }) => name);
}

function sharedColumns(database: Database, table: string): readonly string[] {
	const old = new Set(columnsOf(database, "old", table));
	return columnsOf(database, "main", table).filter((name) => old.has(name));
}

/**
 * Titles are unique with us; where they were not, the later one gets its id behind it. Prompts stay behind: they tell of tools that
 * are not ours, and a session without one gets one when it is gone on with.
 */
function copySessions(database: Database): void {
	const columns = sharedColumns(database, "sessions").filter((name) => name !== "system_prompt");
	const values = columns.map((name) =>
		name === "title"
			? `CASE WHEN EXISTS (SELECT 1 FROM old.sessions AS other WHERE other.title = s.title AND other.rowid < s.rowid)
				THEN s.title || ' (' || s.id || ')' ELSE s.title END`
			: `${notNull.has(name) ? `coalesce(s.${name}, 0)` : `s.${name}`}`,
	);
	database.run(
		`INSERT INTO main.sessions (${columns.join(",")}) SELECT ${values.join(",")} FROM old.sessions AS s ORDER BY s.rowid`,
	);
}

/** Counters that the Python schema lets be NULL. */
const notNull: ReadonlySet<string> = new Set([
	"message_count",
	"tool_call_count",
	"input_tokens",
	"output_tokens",
	"cache_read_tokens",
	"cache_write_tokens",
	"reasoning_tokens",
	"api_call_count",
	"rewind_count",
	"archived",
]);

function copyMessages(database: Database): void {
	const columns = sharedColumns(database, "messages").filter((name) => name !== "extra" && name !== "unspaced");
	const all = [...columns, "extra", "unspaced"];
	const add = database.query(`INSERT INTO main.messages (${all.join(",")}) VALUES (${all.map(() => "?").join(",")})`);
	const rows = database.query<Row, []>(
		`SELECT ${columns.map((name) => `m.${name}`).join(",")}, s.billing_provider AS session_provider
		FROM old.messages AS m LEFT JOIN old.sessions AS s ON s.id = m.session_id ORDER BY m.id`,
	);
	for (const row of rows.iterate()) {
		const { content, extra } = translated(row);
		const changed: Row = { ...row, content, observed: row.observed ?? 0, active: row.active ?? 1 };
		const unspaced = isUnspaced(textOf(content), textOf(row.tool_calls)) ? 1 : 0;
		add.run(...columns.map((name) => changed[name] ?? null), extra, unspaced);
	}
}

/** Text with its pictures becomes text, and stays as it was in `extra`; what was thought gets the name of who thought it. */
function translated(row: Row): { content: Value; extra: string | null } {
	const { content = null } = row;
	const structured = typeof content === "string" ? plainText(content) : undefined;
	const provider = isReplayed(row) ? row.session_provider : undefined;
	const extra = {
		...(typeof provider === "string" && { provider }),
		...(structured !== undefined && { content: structured.parts }),
	};
	return {
		content: structured?.text ?? content,
		extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
	};
}

function isReplayed(row: Row): boolean {
	const replayed = [row.reasoning_content, row.reasoning_details, row.codex_reasoning_items, row.codex_message_items];
	return row.role === "assistant" && replayed.some((value) => typeof value === "string");
}

function textOf(value: Value | undefined): string | null {
	return typeof value === "string" ? value : null;
}

/** Notes, and tables that platforms made for themselves. */
function copyOtherTables(database: Database): void {
	const tables = database
		.query<{ name: string; sql: string }, []>(
			"SELECT name, sql FROM old.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
		)
		.all();
	for (const { name, sql } of tables) {
		if (ownTables.includes(name) || indexNames.includes(name)) continue;
		if (name !== "state_meta") database.run(sql);
		const quoted = `"${name.replaceAll('"', '""')}"`;
		database.run(`INSERT INTO main.${quoted} SELECT * FROM old.${quoted}`);
	}
}

function requireSameCounts(database: Database): void {
	for (const table of ["sessions", "messages"]) {
		const count = (schema: string) =>
			database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${schema}.${table}`).get()?.rows;
		if (count("main") !== count("old")) throw new Error(`not all ${table} could be copied`);
	}
}
