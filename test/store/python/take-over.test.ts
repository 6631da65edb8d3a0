import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openStore } from "../../../lib/store/database.ts";
import { StoreRefused } from "../../../lib/store/store.ts";
import { makePythonDatabase, pythonVersions, structuredParts } from "../../support/python-state-db.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-python-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const program = join(import.meta.dir, "..", "..", "support", "open-store-process.ts");

function rowsOf(file: string, table: string): readonly Record<string, unknown>[] {
	using database = new Database(file, { readonly: true });
	return database.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY rowid`).all();
}

function found(file: string, index: string, query: string): readonly number[] {
	using database = new Database(file, { readonly: true });
	return database
		.query<{ rowid: number }, { $query: string }>(
			`SELECT rowid FROM ${index} WHERE ${index} MATCH $query ORDER BY rowid`,
		)
		.all({ $query: query })
		.map(({ rowid }) => rowid);
}

function keptFile(): string {
	const names = readdirSync(home).filter((name) => /\.python-v\d+-[\d-]+$/.test(name));
	expect(names.length).toBe(1);
	return join(home, names[0] ?? "");
}

describe("openStore() of a database of the Python hermes", () => {
	test.each([...pythonVersions])(
		"openStore() takes over version %d with every row and every search result",
		(version) => {
			makePythonDatabase({ path, version, filler: 20 }).close();
			const bytes = readFileSync(path);
			const warnings: string[] = [];
			using store = openStore(path, { onWarning: (message) => void warnings.push(message) });
			const kept = keptFile();
			expect(readFileSync(kept).equals(bytes)).toBe(true);
			expect(warnings).toEqual([
				`"${path}" was made by the Python hermes; its sessions were taken over, and it is kept in "${kept}"`,
			]);
			expect(kept).toContain(`.python-v${version}-`);
			expect(readdirSync(home).toSorted()).toEqual(
				["state.db", "state.db-shm", "state.db-wal", basename(kept)].toSorted(),
			);

			const before = rowsOf(kept, "sessions");
			// Its prompts tell of tools that are not ours.
			const withoutPrompts = before.map((row) => ({ ...row, system_prompt: null }));
			expect(rowsOf(path, "sessions").map((row, index) => shared(row, before[index]))).toEqual(withoutPrompts);
			const messages = rowsOf(kept, "messages");
			const expected = messages.map((row) =>
				row.id === 5 ? { ...row, content: "was steht auf dem Bild? 東京タワー\n[image]" } : row,
			);
			expect(rowsOf(path, "messages").map((row, index) => shared(row, messages[index]))).toEqual(expected);
			expect(rowsOf(path, "state_meta")).toEqual([{ key: "last_auto_prune", value: "5" }]);
			if (version >= 15) expect(rowsOf(path, "telegram_topics")).toEqual([{ chat: "c", topic: 4 }]);

			for (const query of [
				"zeppelin",
				"hangar",
				'"zeppelin hangar"',
				"filler AND number",
				"hello",
				"fried*",
				"tokyo",
			]) {
				expect([query, found(path, "messages_fts", query)]).toEqual([query, found(kept, "messages_fts", query)]);
			}
			expect(found(path, "messages_fts", "quark")).toEqual([2]);
			expect(found(path, "messages_fts_trigram", '"東京タワー"')).toEqual([5]);
			expect(found(path, "messages_fts_trigram", '"สวัสดี"')).toEqual([9]);
			expect(store.check()).toEqual([]);
		},
	);

	test("openStore() gives back what providers want to see again, and content in parts as it was", () => {
		makePythonDatabase({ path, version: 16 });
		using store = openStore(path);
		expect(store.listMessages("first").map(({ message }) => message)[1]).toEqual({
			role: "assistant",
			content: "",
			toolCalls: [{ id: "call_1", name: "terminal", arguments: '{"command": "ls /srv/quark"}' }],
			reasoning: "look",
			finishReason: "tool_calls",
			replay: {
				provider: "openrouter",
				reasoningContent: "",
				reasoningDetails: [{ type: "reasoning.text", text: "look", signature: "s==" }],
			},
		});
		expect(store.listMessages("second").map(({ message }) => message)).toEqual([
			{ role: "user", content: "was steht auf dem Bild? 東京タワー\n[image]" },
			{
				role: "assistant",
				content: "一座塔 in Tokyo, don't you see",
				toolCalls: [],
				replay: {
					provider: "openai-codex",
					reasoningItems: [{ type: "reasoning", id: "rs_1", encrypted_content: "xx", summary: [] }],
					messageItems: [{ type: "message", id: "msg_1" }],
				},
			},
		]);
		const extra = rowsOf(path, "messages")[4]?.extra;
		expect(JSON.parse(String(extra))).toEqual({ content: structuredParts });
		expect(store.listSessions({ roots: true, archived: true }).map(({ id, startedAt }) => [id, startedAt])).toEqual([
			["second", 100],
			["chat", 50],
		]);
	});

	test("openStore() takes over what is only in the log of the old file yet", () => {
		const elsewhere = join(home, "elsewhere.db");
		const open = makePythonDatabase({ path: elsewhere, version: 11, filler: 30, keepOpen: true });
		for (const suffix of ["", "-wal"]) copyFileSync(elsewhere + suffix, path + suffix);
		open.close();
		const log = readFileSync(`${path}-wal`);
		using store = openStore(path);
		expect(store.stats().messages).toBe(40);
		expect(readFileSync(`${keptFile()}-wal`).equals(log)).toBe(true);
	});

	test("openStore() goes on with a take-over that was interrupted when the old log had moved already", () => {
		const elsewhere = join(home, "elsewhere.db");
		const open = makePythonDatabase({ path: elsewhere, version: 11, filler: 30, keepOpen: true });
		copyFileSync(elsewhere, path);
		copyFileSync(`${elsewhere}-wal`, `${path}.python-v11-20260101-000000-wal`);
		linkSync(path, `${path}.python-v11-20260101-000000`);
		open.close();
		using store = openStore(path);
		expect(store.stats().messages).toBe(40);
		expect(keptFile()).toBe(`${path}.python-v11-20260101-000000`);
	});

	test("openStore() killed at any moment of the take-over loses nothing", async () => {
		for (let round = 0; round < 6; round++) {
			for (const name of readdirSync(home)) rmSync(join(home, name));
			makePythonDatabase({ path, version: 16, filler: 4_000 });
			const child = Bun.spawn([process.execPath, program, path], { stdout: "ignore" });
			await Bun.sleep(60 + Math.random() * 250);
			child.kill("SIGKILL");
			await child.exited;
			using store = openStore(path);
			expect(store.stats().messages).toBe(4_010);
			expect(rowsOf(keptFile(), "messages").length).toBe(4_010);
		}
	}, 60_000);

	test("openStore() in several processes at once takes over once", async () => {
		makePythonDatabase({ path, version: 6, filler: 500 });
		const children = [1, 2, 3].map(() => Bun.spawn([process.execPath, program, path], { stdout: "pipe" }));
		const said = await Promise.all(children.map((child) => new Response(child.stdout).text()));
		expect(said.filter((text) => text.includes("opened with 4 sessions")).length).toBe(3);
		expect(said.filter((text) => text.includes("warning")).length).toBe(1);
		keptFile();
	}, 30_000);

	test("openStore() refuses one that is newer than any known, and leaves it", () => {
		makePythonDatabase({ path, version: 17 });
		const bytes = readFileSync(path);
		expect(() => openStore(path)).toThrow(
			new StoreRefused(
				`Cannot open "${path}": the Python hermes made it with version 17 and this hermes knows 16; use a newer hermes`,
			),
		);
		expect(readFileSync(path).equals(bytes)).toBe(true);
	});

	test.skipIf(process.platform !== "linux")(
		"openStore() refuses one that another program has open",
		async () => {
			makePythonDatabase({ path, version: 16 });
			const script = `const d = new (require("bun:sqlite").Database)(${JSON.stringify(path)}); d.query("SELECT * FROM sessions").all(); console.log("open"); await Bun.sleep(60000)`;
			const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
			try {
				await child.stdout.getReader().read();
				expect(() => openStore(path)).toThrow(
					new StoreRefused(`Cannot migrate "${path}": another program has it open; stop it first`),
				);
			} finally {
				child.kill("SIGKILL");
				await child.exited;
			}
			openStore(path).close();
		},
		30_000,
	);
});

/** The columns of `row` that `other` has. */
function shared(row: Record<string, unknown>, other: Record<string, unknown> = {}): Record<string, unknown> {
	return Object.fromEntries(Object.keys(other).map((name) => [name, row[name]]));
}
