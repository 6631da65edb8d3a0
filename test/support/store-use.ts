/**
 * A process that opens a database, writes COUNT messages of 1,000 bytes and prints what came of it as JSON:
 * `store-use.ts PATH COUNT [wait]`. With `wait` it prints its process id first and begins when its stdin ends.
 */

import { openStore } from "../../lib/store/database.ts";

const [path = "", count = "0", wait] = process.argv.slice(2);
if (wait === "wait") {
	process.stdout.write(`${process.pid}\n`);
	await Bun.stdin.text();
}
const warnings: string[] = [];
let written = 0;
let error = "";
let journal = "";
try {
	using store = openStore(path, { onWarning: (message) => void warnings.push(message) });
	const id = crypto.randomUUID();
	store.createSession({ id, source: "test" });
	for (; written < Number(count); written++) {
		store.appendMessage(id, { role: "user", content: `message ${written}`.padEnd(1_000, " x") });
	}
	journal = store.read(
		(database) => database.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode ?? "",
	);
} catch (cause) {
	error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
process.stdout.write(`${JSON.stringify({ warnings, written, error, journal })}\n`);
