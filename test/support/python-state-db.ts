/** A `state.db` as the Python hermes of some version of its schema leaves it. */

import { Database } from "bun:sqlite";

/** The versions whose shapes are known. */
export const pythonVersions = [6, 10, 11, 12, 15, 16] as const;

const sessionColumns: readonly (readonly [since: number, definition: string])[] = [
	[6, "id TEXT PRIMARY KEY"],
	[6, "source TEXT NOT NULL"],
	[6, "user_id TEXT"],
	[6, "model TEXT"],
	[6, "model_config TEXT"],
	[6, "system_prompt TEXT"],
	[6, "parent_session_id TEXT"],
	[6, "started_at REAL NOT NULL"],
	[6, "ended_at REAL"],
	[6, "end_reason TEXT"],
	[6, "message_count INTEGER DEFAULT 0"],
	[6, "tool_call_count INTEGER DEFAULT 0"],
	[6, "input_tokens INTEGER DEFAULT 0"],
	[6, "output_tokens INTEGER DEFAULT 0"],
	[6, "cache_read_tokens INTEGER DEFAULT 0"],
	[6, "cache_write_tokens INTEGER DEFAULT 0"],
	[6, "reasoning_tokens INTEGER DEFAULT 0"],
	[15, "cwd TEXT"],
	[6, "billing_provider TEXT"],
	[6, "billing_base_url TEXT"],
	[6, "billing_mode TEXT"],
	[6, "estimated_cost_usd REAL"],
	[6, "actual_cost_usd REAL"],
	[6, "cost_status TEXT"],
	[6, "cost_source TEXT"],
	[6, "pricing_version TEXT"],
	[6, "title TEXT"],
	[10, "api_call_count INTEGER DEFAULT 0"],
	[11, "handoff_state TEXT"],
	[11, "handoff_platform TEXT"],
	[11, "handoff_error TEXT"],
	[12, "rewind_count INTEGER NOT NULL DEFAULT 0"],
	[16, "archived INTEGER NOT NULL DEFAULT 0"],
	[6, "FOREIGN KEY (parent_session_id) REFERENCES sessions(id)"],
];

const messageColumns: readonly (readonly [since: number, definition: string])[] = [
	[6, "id INTEGER PRIMARY KEY AUTOINCREMENT"],
	[6, "session_id TEXT NOT NULL REFERENCES sessions(id)"],
	[6, "role TEXT NOT NULL"],
	[6, "content TEXT"],
	[6, "tool_call_id TEXT"],
	[6, "tool_calls TEXT"],
	[6, "tool_name TEXT"],
	[6, "timestamp REAL NOT NULL"],
	[6, "token_count INTEGER"],
	[6, "finish_reason TEXT"],
	[6, "reasoning TEXT"],
	[10, "reasoning_content TEXT"],
	[6, "reasoning_details TEXT"],
	[6, "codex_reasoning_items TEXT"],
	[11, "codex_message_items TEXT"],
	[15, "platform_message_id TEXT"],
	[15, "observed INTEGER DEFAULT 0"],
	[12, "active INTEGER NOT NULL DEFAULT 1"],
];

/** Rows of every kind, more than `filler` of them; columns that the version does not have are left out. */
const sessions: readonly Readonly<Record<string, string | number>>[] = [
	{
		id: "first",
		source: "cli",
		model: "m",
		started_at: 100,
		ended_at: 200,
		end_reason: "compression",
		title: "Reise nach Köln",
		input_tokens: 11,
		output_tokens: 12,
		cache_read_tokens: 13,
		cache_write_tokens: 14,
		reasoning_tokens: 15,
		billing_provider: "openrouter",
		estimated_cost_usd: 0.25,
		api_call_count: 3,
		cwd: "/w",
		message_count: 4,
	},
	{
		id: "second",
		source: "cli",
		parent_session_id: "first",
		started_at: 200.5,
		title: "Reise nach Köln #2",
		system_prompt: "You are.",
		archived: 1,
		rewind_count: 1,
		message_count: 2,
		billing_provider: "openai-codex",
	},
	{
		id: "child",
		source: "subagent",
		parent_session_id: "second",
		started_at: 201,
		message_count: 1,
		model_config: '{"_delegate_from": "second", "max": 3}',
	},
	{
		id: "chat",
		source: "telegram",
		user_id: "77",
		message_count: 2,
		started_at: 50,
		handoff_state: "completed",
		handoff_platform: "cli",
	},
];

const calls =
	'[{"id": "call_1", "call_id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": "{\\"command\\": \\"ls /srv/quark\\"}"}}]';

/** What stands behind the mark, as Python's json writes it. */
export const structuredParts = [
	{ type: "text", text: "was steht auf dem Bild? 東京タワー" },
	{ type: "image_url", image_url: { url: "data:," } },
];

const escaped = JSON.stringify(structuredParts).replace(
	/[^\x20-\x7e]/g,
	(found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

const messages: readonly Readonly<Record<string, string | number | null>>[] = [
	{ session_id: "first", role: "user", content: "Where is the zeppelin hangar?", timestamp: 101 },
	{
		session_id: "first",
		role: "assistant",
		content: null,
		tool_calls: calls,
		finish_reason: "tool_calls",
		timestamp: 102,
		reasoning: "look",
		reasoning_content: "",
		reasoning_details: '[{"type":"reasoning.text","text":"look","signature":"s=="}]',
	},
	{
		session_id: "first",
		role: "tool",
		content: '{"output": "hangar.txt"}',
		tool_call_id: "call_1",
		tool_name: "terminal",
		timestamp: 103,
	},
	{ session_id: "first", role: "assistant", content: "In Friedrichshafen.", finish_reason: "stop", timestamp: 104 },
	{ session_id: "second", role: "user", content: `\u0000json:${escaped}`, timestamp: 201 },
	{
		session_id: "second",
		role: "assistant",
		content: "一座塔 in Tokyo, don't you see",
		timestamp: 202,
		codex_reasoning_items: '[{"type":"reasoning","id":"rs_1","encrypted_content":"xx","summary":[]}]',
		codex_message_items: '[{"type":"message","id":"msg_1"}]',
	},
	{ session_id: "second", role: "user", content: "a thought taken back", timestamp: 203, active: 0 },
	{ session_id: "child", role: "user", content: "zeppelin errand", timestamp: 204 },
	{
		session_id: "chat",
		role: "user",
		content: "สวัสดีครับ hello",
		timestamp: 51,
		platform_message_id: "tg-9",
		observed: 1,
	},
	{ session_id: "chat", role: "user", content: "\u0000json:{broken", timestamp: 52 },
];

export interface PythonFixture {
	readonly path: string;
	readonly version: number;
	/** Messages beyond those of every kind. */
	readonly filler?: number;
	/** Left to the caller, who closes it: what it has written stays in its log. */
	readonly keepOpen?: boolean;
}

/** Makes the file; gives the open database when `keepOpen` is set. */
export function makePythonDatabase({ path, version, filler = 0, keepOpen = false }: PythonFixture): Database {
	const database = new Database(path, { create: true });
	database.run("PRAGMA journal_mode = WAL");
	const columns = (all: typeof sessionColumns) => all.filter(([since]) => since <= version).map(([, text]) => text);
	database.run("CREATE TABLE schema_version (version INTEGER NOT NULL)");
	database.run(`INSERT INTO schema_version VALUES (${version})`);
	database.run(`CREATE TABLE sessions (${columns(sessionColumns).join(", ")})`);
	database.run(`CREATE TABLE messages (${columns(messageColumns).join(", ")})`);
	database.run("CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)");
	database.run("INSERT INTO state_meta VALUES ('last_auto_prune', '5')");
	if (version >= 15) {
		database.run("CREATE TABLE telegram_topics (chat TEXT, topic INTEGER, PRIMARY KEY (chat, topic))");
		database.run("INSERT INTO telegram_topics VALUES ('c', 4)");
	}
	database.run("CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL");
	makeIndexes(database, version);
	const known = (table: string) =>
		new Set(
			database
				.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
				.all()
				.map(({ name }) => name),
		);
	const add = (table: string, row: Readonly<Record<string, string | number | null>>) => {
		const entries = Object.entries(row).filter(([name]) => known(table).has(name));
		database
			.query(
				`INSERT INTO ${table} (${entries.map(([name]) => name).join(",")}) VALUES (${entries.map(() => "?").join(",")})`,
			)
			.run(...entries.map(([, value]) => value));
	};
	for (const session of sessions) add("sessions", session);
	for (const message of messages) add("messages", message);
	database.transaction(() => {
		const insert = database.query(
			"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('chat', 'user', ?, ?)",
		);
		for (let index = 0; index < filler; index++) insert.run(`filler number ${index} of the chat`, 60 + index);
	})();
	if (!keepOpen) database.close();
	return database;
}

/** Version 6 indexed the table itself; from 11 on the index held its own text, with that of the tools. */
function makeIndexes(database: Database, version: number): void {
	const external = version < 11 ? ", content=messages, content_rowid=id" : "";
	const names = version < 10 ? ["messages_fts"] : ["messages_fts", "messages_fts_trigram"];
	for (const name of names) {
		const tokenizer = name === "messages_fts" ? "" : ", tokenize='trigram'";
		database.run(`CREATE VIRTUAL TABLE ${name} USING fts5(content${external}${tokenizer})`);
		const text = (row: string) =>
			version < 11
				? `${row}.content`
				: `coalesce(${row}.content,'') || ' ' || coalesce(${row}.tool_name,'') || ' ' || coalesce(${row}.tool_calls,'')`;
		const take =
			version < 11
				? `INSERT INTO ${name}(${name}, rowid, content) VALUES('delete', old.id, old.content)`
				: `DELETE FROM ${name} WHERE rowid = old.id`;
		const add = `INSERT INTO ${name}(rowid, content) VALUES (new.id, ${text("new")})`;
		database.run(`CREATE TRIGGER ${name}_insert AFTER INSERT ON messages BEGIN ${add}; END`);
		database.run(`CREATE TRIGGER ${name}_delete AFTER DELETE ON messages BEGIN ${take}; END`);
		database.run(`CREATE TRIGGER ${name}_update AFTER UPDATE ON messages BEGIN ${take}; ${add}; END`);
	}
}
