/** 100 messages into a database of 100,000, each a transaction of its own, against the same statements on bun:sqlite. */

import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { defineBench } from "./bench.ts";
import { messageText, openSessionDatabase } from "./session-database.ts";

const batch = 100;

export default defineBench({
	operation: `appendMessage() of ${batch} messages`,
	floor: "the same INSERT and UPDATE on bun:sqlite",
	samples: 100,
	target: 1.3,
	async open() {
		const { path, store, bare, ...opened } = openSessionDatabase();
		bare.run("PRAGMA wal_checkpoint(TRUNCATE)");
		copyFileSync(path, `${path}.bare`);
		const database = new Database(`${path}.bare`, { strict: true });
		database.run("PRAGMA journal_mode = WAL");
		database.run("PRAGMA synchronous = NORMAL");
		database.run("PRAGMA foreign_keys = ON");
		const count = database.query(
			"UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + 0 WHERE id = ?",
		);
		const insert = database.query(
			"INSERT INTO messages (session_id, role, content, timestamp, unspaced) VALUES (?, 'user', ?, ?, 0) RETURNING id",
		);
		let ours = 0;
		let theirs = 0;
		return {
			async operation() {
				for (let index = 0; index < batch; index++) {
					store.appendMessage("s1", { role: "user", content: messageText(ours++) });
				}
			},
			async floor() {
				for (let index = 0; index < batch; index++) {
					database.run("BEGIN IMMEDIATE");
					count.run("s1");
					insert.get("s1", messageText(theirs++), Date.now() / 1000);
					database.run("COMMIT");
				}
			},
			async [Symbol.asyncDispose]() {
				database.close();
				opened[Symbol.dispose]();
			},
		};
	},
});
