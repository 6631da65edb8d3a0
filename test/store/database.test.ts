import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssistantMessage, Message, TokenUsage } from "../../lib/base/conversation.ts";
import { openStore } from "../../lib/store/database.ts";
import { applicationId, schemaVersion } from "../../lib/store/schema.ts";
import { createSessionId } from "../../lib/store/session-id.ts";
import { StoreRefused } from "../../lib/store/store.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-store-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const usage: TokenUsage = {
	inputTokens: 10,
	outputTokens: 4,
	cacheReadTokens: 3,
	cacheWriteTokens: 2,
	reasoningTokens: 1,
};
const answer: AssistantMessage = {
	role: "assistant",
	content: "",
	toolCalls: [{ id: "call_1", name: "terminal", arguments: '{ "command": "ls" }' }],
	reasoning: "look first",
	finishReason: "tool_calls",
};

function refusalOf(action: () => unknown): string {
	try {
		action();
	} catch (cause) {
		expect(cause).toBeInstanceOf(StoreRefused);
		const message = cause instanceof Error ? cause.message : "";
		expect(message).not.toContain("\n");
		return message.replaceAll(home, "HOME");
	}
	throw new Error("was not refused");
}

describe("openStore()", () => {
	test("openStore() makes a private database that bears our mark", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		expect(readdirSync(home).map((name) => (statSync(join(home, name)).mode & 0o777).toString(8))).toEqual(
			readdirSync(home).map(() => "600"),
		);
		using database = new Database(path, { readonly: true });
		expect(database.query("PRAGMA application_id").get()).toEqual({ application_id: applicationId });
		expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: schemaVersion });
		expect(database.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
		expect(database.query<{ version: number }, []>("SELECT version FROM schema_version").all()).toEqual([
			{ version: schemaVersion },
		]);
	});

	test("openStore() opens its own database again, also while it is open", () => {
		using first = openStore(path);
		first.createSession({ id: "one", source: "cli" });
		using second = openStore(path);
		second.createSession({ id: "two", source: "cli" });
		expect(first.listSessions().map(({ id }) => id)).toEqual(["two", "one"]);
	});

	test("openStore() leaves a database of another program untouched", () => {
		for (const mark of [0, 77]) {
			rmSync(path, { force: true });
			const foreign = new Database(path, { create: true });
			foreign.run(`PRAGMA application_id = ${mark}`);
			foreign.run("PRAGMA journal_mode = WAL");
			foreign.run("CREATE TABLE sessions (id TEXT)");
			foreign.close();
			const before = readFileSync(path);
			const files = readdirSync(home);
			expect(refusalOf(() => openStore(path))).toBe(
				'Cannot open "HOME/state.db": it was made by another program and was left untouched; set HERMES_HOME to another folder or move the file away',
			);
			expect(readFileSync(path).equals(before)).toBe(true);
			expect(readdirSync(home)).toEqual(files);
		}
	});

	test("openStore() refuses a database of a newer program", () => {
		openStore(path).close();
		const newer = new Database(path);
		newer.run(`PRAGMA user_version = ${schemaVersion + 1}`);
		newer.close();
		expect(refusalOf(() => openStore(path))).toBe(
			`Cannot open "HOME/state.db": it has version ${schemaVersion + 1} and this hermes knows ${schemaVersion}; use a newer hermes`,
		);
	});

	test("openStore() says what is wrong with a file it cannot use", () => {
		writeFileSync(path, "this is a text file, much longer than the sixteen bytes of a header ".repeat(20));
		mkdirSync(join(home, "folder"));
		expect({
			text: refusalOf(() => openStore(path)),
			folder: refusalOf(() => openStore(join(home, "folder"))),
			missing: refusalOf(() => openStore(join(home, "none", "state.db"))),
			throughFile: refusalOf(() => openStore(join(path, "state.db"))),
		}).toEqual({
			text: 'Cannot open "HOME/state.db": it is not a database; it was left untouched',
			folder: 'Cannot open "HOME/folder": it is not a file',
			missing: 'Cannot open "HOME/none/state.db": its folder does not exist',
			throughFile: 'Cannot open "HOME/state.db/state.db": its folder is not a folder',
		});
	});

	test("openStore() after a disk that was full loses no message that was written", async () => {
		const worker = join(import.meta.dir, "..", "support", "store-writer.ts");
		// A limit on file sizes fails as a full disk does: first in a checkpoint, which stays half done, then in the -wal.
		const script = `trap "" XFSZ; ulimit -f 4300; exec "$@"`;
		const child = Bun.spawn(["bash", "-c", script, "-", process.execPath, worker, path, "s", "4000", "5000"], {
			stderr: "pipe",
		});
		expect(await new Response(child.stderr).text()).toContain(`StoreRefused: Cannot write "${path}": `);
		expect(await child.exited).toBe(1);
		using store = openStore(path);
		const messages = store.listMessages("s");
		expect(messages.length).toBeGreaterThan(100);
		expect(store.getSession("s")?.messageCount).toBe(messages.length);
	}, 60_000);

	test("openStore() in many processes at once loses no session and no message", async () => {
		const worker = join(import.meta.dir, "..", "support", "store-writer.ts");
		const names = ["a", "b", "c", "d"];
		const codes = await Promise.all(
			names.map((name) => Bun.spawn([process.execPath, worker, path, name, "40"], { stderr: "inherit" }).exited),
		);
		expect(codes).toEqual([0, 0, 0, 0]);
		using store = openStore(path);
		expect(names.map((name) => store.getSession(name)?.messageCount)).toEqual([40, 40, 40, 40]);
		expect(names.map((name) => store.listMessages(name).length)).toEqual([40, 40, 40, 40]);
	}, 60_000);
});

describe("Store", () => {
	test("appendMessage() keeps every kind of message as it was, in order", () => {
		const messages: Message[] = [
			{ role: "user", content: "Grüße 🙂 \u0000 end" },
			answer,
			{ role: "tool", toolCallId: "call_1", toolName: "terminal", content: '{"output":"a\\n"}' },
			{ role: "assistant", content: "Done.", toolCalls: [] },
			{ role: "system", content: "note" },
		];
		{
			using store = openStore(path);
			store.createSession({ id: "s", source: "cli" });
			for (const message of messages) store.appendMessage("s", message);
		}
		using store = openStore(path);
		expect(store.listMessages("s").map(({ message }) => message)).toEqual(messages);
		expect(store.listMessages("s").map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
	});

	test("appendMessage() writes the same object once and an equal one again", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		const message: Message = { role: "user", content: "again" };
		expect([
			store.appendMessage("s", message),
			store.appendMessage("s", message),
			store.appendMessage("s", { ...message }),
		]).toEqual([1, 1, 2]);
		expect(store.getSession("s")?.messageCount).toBe(2);
	});

	test("appendMessage() of an unknown session throws and writes nothing", () => {
		using store = openStore(path);
		expect(() => store.appendMessage("none", { role: "user", content: "x" })).toThrow(
			'Cannot add a message to session "none": no such session',
		);
		expect(() => store.addUsage("none", usage)).toThrow('Cannot add usage to session "none": no such session');
		expect(store.listMessages("none")).toEqual([]);
	});

	test("getSession() tells what was given, counted and ended", () => {
		using store = openStore(path);
		const given = { id: "s", source: "cli", model: "m", systemPrompt: "You are", cwd: "/w", provider: "custom" };
		store.createSession({ ...given, baseUrl: "http://localhost/v1", startedAt: 5 });
		store.createSession({ id: "s", source: "other" });
		store.appendMessage("s", answer);
		store.addUsage("s", usage);
		store.addUsage("s", usage);
		store.endSession("s", "first");
		store.endSession("s", "second");
		const session = store.getSession("s");
		expect(session).toEqual({
			...given,
			baseUrl: "http://localhost/v1",
			parentSessionId: null,
			title: null,
			startedAt: 5,
			endedAt: session?.endedAt ?? 0,
			endReason: "first",
			messageCount: 1,
			toolCallCount: 1,
			apiCallCount: 2,
			usage: { inputTokens: 20, outputTokens: 8, cacheReadTokens: 6, cacheWriteTokens: 4, reasoningTokens: 2 },
			userId: null,
			modelConfig: {},
			costUsd: null,
			rewindCount: 0,
			archived: false,
		});
		expect(store.getSession("none")).toBeUndefined();
	});

	test("listMessages() leaves out a row whose tool calls are not readable", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		store.appendMessage("s", answer);
		store.appendMessage("s", { role: "user", content: "kept" });
		using database = new Database(path);
		database.run("UPDATE messages SET tool_calls = '{broken' WHERE id = 1");
		expect(store.listMessages("s").map(({ message }) => message)).toEqual([{ role: "user", content: "kept" }]);
	});

	test("the tables have the columns that other programs know", () => {
		openStore(path).close();
		using database = new Database(path, { readonly: true });
		const columns = (table: string) =>
			database
				.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
				.all()
				.map(({ name }) => name)
				.join(" ");
		expect({ sessions: columns("sessions"), messages: columns("messages"), meta: columns("state_meta") }).toEqual({
			sessions:
				"id source user_id model model_config system_prompt parent_session_id started_at ended_at end_reason message_count tool_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens cwd billing_provider billing_base_url billing_mode estimated_cost_usd actual_cost_usd cost_status cost_source pricing_version title api_call_count handoff_state handoff_platform handoff_error rewind_count archived",
			messages:
				"id session_id role content tool_call_id tool_calls tool_name timestamp token_count finish_reason reasoning reasoning_content reasoning_details codex_reasoning_items codex_message_items platform_message_id observed active extra unspaced",
			meta: "key value",
		});
	});
});

test("createSessionId() sorts by local time and ends in six hex digits", () => {
	expect(createSessionId(new Date(2026, 0, 2, 3, 4, 5))).toMatch(/^20260102_030405_[0-9a-f]{6}$/);
});
