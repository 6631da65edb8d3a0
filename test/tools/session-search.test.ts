/** session_search: what the model finds of earlier sessions, and in which shape. */

import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pastSessions } from "../../lib/cli/runtime/past-sessions.ts";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import type { ToolContext } from "../../lib/registry/tool.ts";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";
import sessionSearch from "../../lib/tools/session-search/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const opened: Disposable[] = [];
afterEach(() => {
	for (const one of opened.splice(0).toReversed()) one[Symbol.dispose]();
});

/** A home with the session `now`, in which the tool is called. */
function scene() {
	const folder = temporaryFolder();
	const home = join(folder.path, ".hermes");
	mkdirSync(home);
	const store = openStore(join(home, "state.db"));
	opened.push(folder, store);
	store.createSession({ id: "now", source: "cli" });
	return { home, store };
}

async function call({ store, home }: { store: Store; home: string }, args: Record<string, unknown>, isKept = true) {
	const agent = isKept ? { pastSessions: pastSessions(store, home, "now") } : {};
	const { answer } = await dispatch({
		registry: createRegistry(new Map([["session_search", sessionSearch]]), []),
		call: { name: "session_search", arguments: args },
		context: { signal: new AbortController().signal, agent } as ToolContext,
		approve: async () => ({ approved: true }),
	});
	return JSON.parse(answer);
}

/** A session in which `count` questions were asked and answered; row ids in order. */
function talk(store: Store, [id, count]: [string, number], more: { source?: string; parentSessionId?: string } = {}) {
	store.createSession({ id, source: "cli", model: "m", startedAt: Date.UTC(2026, 6, 1, 12) / 1000, ...more });
	return Array.from({ length: count }, (_, index) => {
		const timestamp = Date.UTC(2026, 6, 1, 12, index) / 1000;
		const asked = store.appendMessage(id, { role: "user", content: `${id} question ${index}` }, { timestamp });
		const answer = { role: "assistant" as const, content: `${id} answer ${index}`, toolCalls: [] };
		return [asked, store.appendMessage(id, answer, { timestamp })];
	}).flat();
}

describe("session_search", () => {
	test("session_search finds the best message of a conversation, with what is around it and how it began and ended", async () => {
		const at = scene();
		const ids = talk(at.store, ["old", 10]);
		at.store.setTitle("old", "Old talk");
		const found = await call(at, { query: '"question 5"' });
		const message = (index: number) => {
			const isUser = index % 2 === 0;
			const number = Math.floor(index / 2);
			return {
				id: ids[index],
				role: isUser ? "user" : "assistant",
				content: `old ${isUser ? "question" : "answer"} ${number}`,
				timestamp: Date.UTC(2026, 6, 1, 12, number) / 1000,
			};
		};
		expect(found).toEqual({
			success: true,
			mode: "discover",
			query: '"question 5"',
			results: [
				{
					session_id: "old",
					when: expect.stringMatching(/^(June 30|July 01|July 02), 2026 at \d\d:(?:05|20|35|50) [AP]M$/),
					source: "cli",
					model: "m",
					title: "Old talk",
					matched_role: "user",
					match_message_id: ids[10],
					snippet: "old >>>question 5<<<",
					bookend_start: [0, 1, 2].map(message),
					messages: [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((index) =>
						index === 10 ? { ...message(index), anchor: true } : message(index),
					),
					bookend_end: [17, 18, 19].map(message),
					messages_before: 5,
					messages_after: 4,
				},
			],
			count: 1,
			sessions_searched: 1,
		});
	});

	test("session_search gives one result a conversation, never this one, and no more than ten", async () => {
		const at = scene();
		talk(at.store, ["parent", 2]);
		talk(at.store, ["child", 2], { parentSessionId: "parent" });
		talk(at.store, ["helper", 2], { source: "subagent" });
		for (let index = 0; index < 12; index++) talk(at.store, [`other${index}`, 1]);
		at.store.createSession({ id: "later", source: "cli", parentSessionId: "now" });
		at.store.appendMessage("now", { role: "user", content: "question here" });
		at.store.appendMessage("later", { role: "user", content: "question there" });
		const { results, count } = await call(at, { query: "question", limit: 50 });
		const ids: string[] = results.map((result: { session_id: string }) => result.session_id);
		expect(count).toBe(10);
		expect(ids.filter((id) => ["now", "later", "helper"].includes(id))).toEqual([]);
		expect(ids.filter((id) => ["parent", "child"].includes(id)).length).toBeLessThanOrEqual(1);
		expect((await call(at, { query: "question" })).count).toBe(3);
	});

	test("session_search with role_filter and sort looks at tools, and by time", async () => {
		const at = scene();
		const [, answer] = talk(at.store, ["a", 1]);
		const toolCalls = [{ id: "c", name: "terminal", arguments: '{"command":"zfs list"}' }];
		at.store.appendMessage("a", { role: "assistant", content: "", toolCalls });
		at.store.appendMessage("a", { role: "tool", toolCallId: "c", toolName: "terminal", content: "pool/zfs full" });
		talk(at.store, ["b", 1]);
		expect((await call(at, { query: "full" })).count).toBe(0);
		const found = await call(at, { query: "full", role_filter: "tool" });
		expect(found.results[0]).toMatchObject({
			matched_role: "tool",
			bookend_end: [{ role: "user" }, { id: answer, role: "assistant" }],
			messages: [
				{ role: "user" },
				{ role: "assistant" },
				{ role: "assistant", content: "", tool_calls: expect.stringContaining("zfs list") },
				{ role: "tool", content: "pool/zfs full", tool_name: "terminal", tool_call_id: "c", anchor: true },
			],
		});
		const newest = await call(at, { query: "question", sort: "newest" });
		expect(newest.results.map((result: { session_id: string }) => result.session_id)).toEqual(["b", "a"]);
	});

	test("session_search says when it could not find all words, and does not find its own answers", async () => {
		const at = scene();
		talk(at.store, ["a", 1]);
		at.store.appendMessage("a", {
			role: "tool",
			toolCallId: "c",
			toolName: "session_search",
			content: '{"snippet":"giraffe"}',
		});
		expect(await call(at, { query: "question elephant" })).toMatchObject({
			count: 1,
			message: "No message has all of these words; these have some of them",
		});
		expect(await call(at, { query: "giraffe", role_filter: "tool" })).toMatchObject({ success: true, count: 0 });
	});

	test("session_search with session_id and around_message_id scrolls, into other parts of the conversation too", async () => {
		const at = scene();
		const first = talk(at.store, ["parent", 3]);
		talk(at.store, ["child", 1], { parentSessionId: "parent" });
		const scrolled = await call(at, { session_id: "child", around_message_id: first[2], window: 1 });
		expect(scrolled).toMatchObject({
			success: true,
			mode: "scroll",
			session_id: "parent",
			messages: [{ id: first[1] }, { id: first[2], anchor: true }, { id: first[3] }],
			messages_before: 1,
			messages_after: 2,
		});
		const elsewhere = await call(at, { session_id: "child", around_message_id: 9999 });
		expect(elsewhere).toEqual({
			error: 'Cannot scroll to message 9999: session "child" has no such message',
			success: false,
		});
	});

	test("session_search refuses this conversation, hidden sessions and unknown ones", async () => {
		const at = scene();
		talk(at.store, ["helper", 1], { source: "subagent" });
		at.store.createSession({ id: "later", source: "cli", parentSessionId: "now" });
		const errors = await Promise.all(
			["now", "later", "helper", "gone"].map(async (id) => (await call(at, { session_id: id })).error),
		);
		expect(errors).toEqual([
			'Cannot read session "now": it is this conversation, which you have already',
			'Cannot read session "later": it is this conversation, which you have already',
			'Cannot read session "helper": it is a run of a subagent, not a conversation',
			'Cannot find session "gone"; call session_search without arguments for the latest ones',
		]);
	});

	test("session_search with session_id reads both ends of a long session and says what lies between", async () => {
		const at = scene();
		const ids = talk(at.store, ["long", 20]);
		const { messages, ...read } = await call(at, { session_id: "long" });
		expect(read).toEqual({
			success: true,
			mode: "read",
			session_id: "long",
			title: null,
			source: "cli",
			model: "m",
			when: expect.any(String),
			message_count: 40,
			message: `10 messages between ${ids[19]} and ${ids[30]} are left out; around_message_id shows what is around one`,
		});
		expect(messages.map(({ id }: { id: number }) => id)).toEqual([...ids.slice(0, 20), ...ids.slice(30)]);
	});

	test("session_search without arguments lists the latest sessions", async () => {
		const at = scene();
		talk(at.store, ["a", 1]);
		talk(at.store, ["helper", 1], { source: "subagent" });
		expect(await call(at, {})).toEqual({
			success: true,
			mode: "browse",
			results: [
				{
					session_id: "a",
					title: null,
					source: "cli",
					started_at: expect.any(String),
					last_active: expect.any(String),
					message_count: 2,
					preview: "a question 0",
				},
			],
			count: 1,
		});
	});

	test("session_search reads another profile by name, by link, and by the id alone, and writes nothing there", async () => {
		const at = scene();
		const other = join(at.home, "profiles/work");
		mkdirSync(other, { recursive: true });
		const theirs = openStore(join(other, "state.db"));
		talk(theirs, ["theirs", 1]);
		theirs.close();
		const sums = () =>
			new Bun.CryptoHasher("sha256")
				.update(new Uint8Array(new Database(join(other, "state.db"), { readonly: true }).serialize()))
				.digest("hex");
		const before = sums();
		const asked = [
			{ session_id: "theirs", profile: "work" },
			{ session_id: "@session:work/theirs" },
			{ session_id: "theirs" },
		];
		const read = await Promise.all(asked.map((args) => call(at, args)));
		expect(read.map(({ mode, messages }) => [mode, messages.length])).toEqual([
			["read", 2],
			["read", 2],
			["read", 2],
		]);
		expect(await call(at, { session_id: "x", profile: "../work" })).toMatchObject({
			error: 'Cannot read profile "../work": it is no name of a profile',
		});
		expect(await call(at, { session_id: "x", profile: "none" })).toMatchObject({ success: false });
		expect(sums()).toBe(before);
	});

	test("session_search outside a kept session says so", async () => {
		expect(await call(scene(), {}, false)).toEqual({
			error: "Cannot search sessions: this session is not kept, so there are none to search",
		});
	});
});
