/** A `state.db` of 100,000 messages, and the search benches that differ in the query only. */

import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../lib/store/database.ts";
import { searchMessages } from "../lib/store/search/search-messages.ts";
import type { Store } from "../lib/store/store.ts";
import { type Bench, defineBench } from "./bench.ts";

const messages = 100_000;
const sessions = 1_000;
/** Of the other words; the more often one is drawn the lower its number, as in a language. */
const vocabulary = 20_000;

/** An open store in a folder of its own; disposing it removes the folder. */
export interface SessionDatabase extends Disposable {
	readonly path: string;
	readonly store: Store;
	/** A second connection, as anybody would open it. */
	readonly bare: Database;
}

/**
 * Every second message holds `common`, one in a hundred `seldom`, one in a hundred `scarce` and one in ten thousand both, one
 * in 20,000 `unique` and one in 1,000 the phrase `exact phrase`.
 */
export function openSessionDatabase(): SessionDatabase {
	const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	const path = join(folder, "state.db");
	openStore(path).close();
	const bare = new Database(path, { strict: true });
	bare.run("PRAGMA foreign_keys = ON");
	bare.run("PRAGMA synchronous = NORMAL");
	fill(bare);
	const store = openStore(path);
	return {
		path,
		store,
		bare,
		[Symbol.dispose]() {
			store.close();
			bare.close();
			rmSync(folder, { recursive: true });
		},
	};
}

/** Text of message `index`; always the same one. */
export function messageText(index: number): string {
	const words = Array.from(
		{ length: 40 },
		(_, place) => `word${Math.floor(vocabulary * chance(index * 64 + place) ** 3)}`,
	);
	if (index % 2 === 0) words[3] = "common";
	if (index % 100 === 1) words[7] = "seldom";
	if (index % 100 === 2 || index % 10_000 === 1) words[9] = "scarce";
	if (index % 1_000 === 5) words.splice(12, 2, "exact", "phrase");
	if (index % 20_000 === 7) words[20] = "unique";
	return words.join(" ");
}

/** A search of ours against the one ranked statement that it stands on. */
export function searchBench(
	what: string,
	query: string,
	limits: { readonly samples: number; readonly target?: number },
): Bench {
	return defineBench({
		operation: `searchMessages() of ${what} in 100,000 messages`,
		floor: "the ranked statement",
		...limits,
		async open() {
			const { store, bare, ...opened } = openSessionDatabase();
			const ranked = bare.query<{ id: number; rank: number }, { query: string }>(
				`SELECT m.id, rank FROM messages_fts JOIN messages AS m ON m.id = messages_fts.rowid
				JOIN sessions AS s ON s.id = m.session_id WHERE messages_fts MATCH $query AND m.active = 1 ORDER BY rank LIMIT 50`,
			);
			return {
				operation: async () => store.read((database) => searchMessages(database, { query, limit: 10 })),
				floor: async () => ranked.all({ query }),
				[Symbol.asyncDispose]: async () => opened[Symbol.dispose](),
			};
		},
	});
}

function fill(database: Database): void {
	const addSession = database.query("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)");
	const addMessage = database.query(
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
	);
	database.transaction(() => {
		for (let index = 0; index < sessions; index++) addSession.run(`s${index}`, index);
		for (let index = 0; index < messages; index++) addMessage.run(`s${index % sessions}`, messageText(index), index);
	})();
}

/** Between 0 and 1, and the same for the same number. */
function chance(number: number): number {
	const mixed = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
	const again = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
	return ((again ^ (again >>> 15)) >>> 0) / 0x1_0000_0000;
}
