import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";
import { prepareTextIndex } from "../../lib/store/text-index.ts";
import { createConnection } from "../../lib/store/write.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-index-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function say(store: Store, ...texts: string[]): void {
	store.createSession({ id: "s", source: "cli" });
	for (const content of texts) store.appendMessage("s", { role: "user", content });
}

function found(store: Store, query: string, index = "messages_fts"): readonly number[] {
	return store.read((database) =>
		database
			.query<{ rowid: number }, { query: string }>(
				`SELECT rowid FROM ${index} WHERE ${index} MATCH $query ORDER BY rowid`,
			)
			.all({ query })
			.map(({ rowid }) => rowid),
	);
}

/** Bun's own module guards the schema and the tables of an index. */
function damage(...statements: string[]): void {
	const database = new DatabaseSync(path, { defensive: false });
	for (const statement of ["PRAGMA writable_schema = ON", ...statements]) database.exec(statement);
	database.close();
}

describe("the search index", () => {
	test("the index holds text, tool names and calls, and only scripts without spaces by three characters", () => {
		using store = openStore(path);
		say(store, "plain words", "Grüße aus 東京タワー", "สวัสดีครับ", "ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ", "안녕하세요");
		const call = { id: "c", name: "web_search", arguments: '{"query":"anachronism"}' };
		store.appendMessage("s", { role: "assistant", content: "", toolCalls: [call] });
		store.appendMessage("s", { role: "tool", toolCallId: "c", toolName: "web_search", content: "nothing" });
		expect([
			found(store, "words"),
			found(store, "grusse OR gruße"),
			found(store, "anachronism"),
			found(store, '"web_search"'),
			found(store, "plain", "messages_fts_trigram"),
		]).toEqual([[1], [2], [8], [8, 9], []]);
		const scripts = ["東京タ", "สวัสดี", "ສະບາຍ", "សួស្", "မင်္ဂ", "안녕하"];
		expect(scripts.map((text) => found(store, `"${text}"`, "messages_fts_trigram"))).toEqual(
			[2, 3, 4, 5, 6, 7].map((id) => [id]),
		);
		expect(store.check()).toEqual([]);
	});

	test("the index follows changes of the text, deletions and rewinds", () => {
		using store = openStore(path);
		say(store, "first 東京", "second", "third");
		using other = new Database(path);
		other.run("UPDATE messages SET content = 'renamed' WHERE id = 2");
		other.run("UPDATE messages SET content = 'no longer', unspaced = 0 WHERE id = 1");
		other.run("DELETE FROM messages WHERE id = 3");
		expect(["second", "renamed", "third", "longer"].map((word) => found(store, word))).toEqual([[], [2], [], [1]]);
		const changes = () =>
			other.query<{ rows: number }, []>("SELECT count(*) AS rows FROM messages_fts_idx").get()?.rows;
		const before = changes();
		store.rewind("s", 1);
		expect([changes(), found(store, "renamed"), store.check()]).toEqual([before, [2], []]);
	});

	test.each([
		["its virtual table", ["DELETE FROM sqlite_schema WHERE name = 'messages_fts'"]],
		[
			"a shadow table",
			["DROP TABLE messages_fts", "CREATE TABLE messages_fts_data(id INTEGER PRIMARY KEY, block BLOB)"],
		],
		["a trigger", ["DROP TRIGGER messages_fts_trigram_update"]],
		["everything", ["DROP TABLE messages_fts", "DROP TABLE messages_fts_trigram", "DROP VIEW messages_text"]],
	])("openStore() makes the index again when a migration left it without %s (R122)", (_, statements) => {
		{
			using store = openStore(path);
			say(store, "needle", "針の穴から");
		}
		damage(...statements);
		using store = openStore(path);
		expect([found(store, "needle"), found(store, '"針の穴"', "messages_fts_trigram"), store.check()]).toEqual([
			[1],
			[2],
			[],
		]);
	});

	test("appendMessage() into a damaged index makes it again and loses nothing", () => {
		using store = openStore(path);
		say(store, "needle one", "hay");
		damage(
			"UPDATE messages_fts_data SET block = x'00ff00ff' WHERE id = 10",
			"DELETE FROM messages_fts_data WHERE id > 10",
		);
		store.appendMessage("s", { role: "user", content: "needle two" });
		expect([found(store, "needle"), store.check()]).toEqual([[1, 3], []]);
	});

	test("check() tells an index that differs from the messages, rebuildIndex() mends it (R119)", () => {
		using store = openStore(path);
		say(store, "needle", "hay");
		damage("INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', 1, 'needle  ')");
		expect(found(store, "needle")).toEqual([]);
		expect(store.check()).toEqual([expect.stringContaining("the search index differs from the messages")]);
		store.rebuildIndex();
		expect([found(store, "needle"), store.check()]).toEqual([[1], []]);
	});

	test("read() in a damaged index makes it again and gives what is there (R119)", () => {
		using store = openStore(path);
		say(store, ...Array.from({ length: 300 }, (_, index) => `needle ${index}`));
		store.read((database) => database.query("SELECT 1").get());
		damage("UPDATE messages_fts_data SET block = zeroblob(20) WHERE id > 10");
		expect(found(store, "needle").length).toBe(300);
		expect(store.check()).toEqual([]);
	});

	test("prepareTextIndex() without full-text search lets messages be written, and finds them when it is back", () => {
		{
			using store = openStore(path);
			say(store, "before");
		}
		{
			using database = new Database(path, { strict: true });
			prepareTextIndex(database, createConnection(database, path).write, false);
			database.run("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'meanwhile', 1)");
		}
		using store = openStore(path);
		expect([found(store, "before OR meanwhile"), store.check()]).toEqual([[1, 2], []]);
	});
});
