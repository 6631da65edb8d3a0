/** The tables of `state.db`, and the mark by which we know a database as our own. */

/** `PRAGMA application_id` of every database we make: "HRMS". */
export const applicationId = 0x48_52_4d_53;

/** `PRAGMA user_version` and the row of `schema_version`. A higher number comes from a newer program and is refused. */
export const schemaVersion = 3;

/**
 * One row a call of a model; the sums are in `sessions`. `task` is what the call was for beside the conversation, null for the
 * conversation itself. Without a foreign key: what was paid stays known when its session is deleted.
 */
export const modelCallsTable = `
CREATE TABLE model_calls (
	id INTEGER PRIMARY KEY,
	session_id TEXT NOT NULL,
	timestamp REAL NOT NULL,
	provider TEXT,
	model TEXT,
	input_tokens INTEGER NOT NULL DEFAULT 0,
	output_tokens INTEGER NOT NULL DEFAULT 0,
	cache_read_tokens INTEGER NOT NULL DEFAULT 0,
	cache_write_tokens INTEGER NOT NULL DEFAULT 0,
	reasoning_tokens INTEGER NOT NULL DEFAULT 0,
	cost_usd REAL,
	task TEXT
);
CREATE INDEX idx_model_calls_session ON model_calls(session_id);
`;

/** Who compresses which session; a row that has expired counts for nothing. */
export const compressionLocksTable = `
CREATE TABLE compression_locks (
	session_id TEXT PRIMARY KEY,
	holder TEXT NOT NULL,
	acquired_at REAL NOT NULL,
	expires_at REAL NOT NULL
);
`;

/** Rows that the trigram index holds, for the searches of one or two characters that it cannot answer. */
export const unspacedIndex = "CREATE INDEX idx_messages_unspaced ON messages(id) WHERE unspaced = 1;";

/** Creates all tables in an empty database; one string, run inside one transaction. The search index is `text-index.ts`. */
export const schema = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
	id TEXT PRIMARY KEY,
	source TEXT NOT NULL,
	user_id TEXT,
	model TEXT,
	model_config TEXT,
	system_prompt TEXT,
	parent_session_id TEXT REFERENCES sessions(id),
	started_at REAL NOT NULL,
	ended_at REAL,
	end_reason TEXT,
	message_count INTEGER NOT NULL DEFAULT 0,
	tool_call_count INTEGER NOT NULL DEFAULT 0,
	input_tokens INTEGER NOT NULL DEFAULT 0,
	output_tokens INTEGER NOT NULL DEFAULT 0,
	cache_read_tokens INTEGER NOT NULL DEFAULT 0,
	cache_write_tokens INTEGER NOT NULL DEFAULT 0,
	reasoning_tokens INTEGER NOT NULL DEFAULT 0,
	cwd TEXT,
	billing_provider TEXT,
	billing_base_url TEXT,
	billing_mode TEXT,
	estimated_cost_usd REAL,
	actual_cost_usd REAL,
	cost_status TEXT,
	cost_source TEXT,
	pricing_version TEXT,
	title TEXT,
	api_call_count INTEGER NOT NULL DEFAULT 0,
	handoff_state TEXT,
	handoff_platform TEXT,
	handoff_error TEXT,
	rewind_count INTEGER NOT NULL DEFAULT 0,
	archived INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE messages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	session_id TEXT NOT NULL REFERENCES sessions(id),
	role TEXT NOT NULL,
	content TEXT,
	tool_call_id TEXT,
	tool_calls TEXT,
	tool_name TEXT,
	timestamp REAL NOT NULL,
	token_count INTEGER,
	finish_reason TEXT,
	reasoning TEXT,
	reasoning_content TEXT,
	reasoning_details TEXT,
	codex_reasoning_items TEXT,
	codex_message_items TEXT,
	platform_message_id TEXT,
	observed INTEGER NOT NULL DEFAULT 0,
	active INTEGER NOT NULL DEFAULT 1,
	extra TEXT,
	unspaced INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_source_id ON sessions(source, id);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE UNIQUE INDEX idx_sessions_title ON sessions(title) WHERE title IS NOT NULL;
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp);
CREATE INDEX idx_messages_platform ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;
${unspacedIndex}
${modelCallsTable}
${compressionLocksTable}
`;
