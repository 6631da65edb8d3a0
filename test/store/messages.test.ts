import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../lib/base/conversation.ts";
import { openStore } from "../../lib/store/database.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-messages-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const user = (content: string): Message => ({ role: "user", content });

describe("appendMessage()", () => {
	const replays: readonly (readonly [string, Message])[] = [
		["an origin", { role: "user", content: "go on", origin: "harness" }],
		["a summary", { role: "user", content: "so far", origin: "summary" }],
		[
			"Anthropic blocks",
			{
				role: "assistant",
				content: "a",
				toolCalls: [],
				replay: {
					provider: "anthropic",
					anthropicBlocks: [
						{ type: "thinking", thinking: "ä\u2028\u0000", signature: "EqQB==" },
						{ type: "text", text: "a", citations: null },
						{ type: "tool_use", id: "toolu_1", name: "t", input: { b: 1, a: [true, 0.1, -1e-7] } },
					],
				},
			},
		],
		[
			"OpenRouter details and an empty reasoning_content",
			{
				role: "assistant",
				content: "",
				toolCalls: [],
				reasoning: "r",
				replay: {
					provider: "openrouter",
					reasoningContent: "",
					reasoningDetails: [{ type: "reasoning.encrypted", data: "x", index: 0, format: null }],
				},
			},
		],
		[
			"items of Responses, and empty lists",
			{
				role: "assistant",
				content: "b",
				toolCalls: [],
				replay: {
					provider: "openai-codex",
					reasoningItems: [{ type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary: [] }],
					messageItems: [],
				},
			},
		],
		[
			"Gemini parts and what stands beside a call",
			{
				role: "assistant",
				content: "",
				toolCalls: [
					{ id: "1", name: "t", arguments: "{}", extra: { google: { thought_signature: "sig" } } },
					{ id: "2", name: "t", arguments: '{ "a" :1}', extra: null },
				],
				finishReason: "tool_calls",
				replay: { provider: "gemini", geminiParts: [{ thoughtSignature: "s", functionCall: { name: "t", args: {} } }] },
			},
		],
	];
	test.each([...replays])("appendMessage() keeps %s byte for byte", (_, message) => {
		{
			using store = openStore(path);
			store.createSession({ id: "s", source: "cli" });
			store.appendMessage("s", message);
		}
		using store = openStore(path);
		const kept = store.listMessages("s").map((stored) => stored.message);
		expect(kept).toEqual([message]);
		const replayOf = (of: Message | undefined) => JSON.stringify(of?.role === "assistant" ? of.replay : null);
		expect(JSON.parse(replayOf(kept[0]) ?? "")).toEqual(JSON.parse(replayOf(message) ?? ""));
	});

	test("appendMessage() takes the platform's time and id", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "telegram" });
		store.appendMessage("s", user("later"), { timestamp: 20, platformMessageId: "m2" });
		store.appendMessage("s", user("earlier"), { timestamp: 10 });
		// A clock that steps back must not put an answer before its call.
		expect(store.listMessages("s").map(({ timestamp, message }) => [timestamp, message.content])).toEqual([
			[20, "later"],
			[10, "earlier"],
		]);
	});

	test("appendMessage() writes the same object into each session once", () => {
		using store = openStore(path);
		const message = user("carried over");
		for (const id of ["a", "b"]) {
			store.createSession({ id, source: "cli" });
			store.appendMessage(id, message);
			store.appendMessage(id, message);
		}
		expect(["a", "b"].map((id) => store.listMessages(id).length)).toEqual([1, 1]);
	});
});

describe("listMessages()", () => {
	test("listMessages() gives an answer without its replay when that cannot be read, and check() names it", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		const replay = { provider: "p", reasoningDetails: [1] };
		store.appendMessage("s", { role: "assistant", content: "kept", toolCalls: [], replay });
		using other = new Database(path);
		other.run("UPDATE messages SET reasoning_details = '{not json'");
		expect(store.listMessages("s").map(({ message }) => message)).toEqual([
			{ role: "assistant", content: "kept", toolCalls: [] },
		]);
		expect(store.check()).toEqual(["Cannot read reasoning_details of message 1: it is not what was written"]);
	});
});

describe("rewind()", () => {
	test("rewind() takes back a user's message and all after it, restore() brings them back", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		const call = { id: "c", name: "t", arguments: "{}" };
		const said: Message[] = [
			user("one"),
			{ role: "assistant", content: "1", toolCalls: [] },
			user("two"),
			{ role: "assistant", content: "", toolCalls: [call] },
			{ role: "tool", toolCallId: "c", toolName: "t", content: "2" },
		];
		for (const message of said) store.appendMessage("s", message);
		const counts = () => {
			const session = store.getSession("s");
			return [session?.messageCount, session?.toolCallCount, session?.rewindCount];
		};
		expect(counts()).toEqual([5, 1, 0]);
		expect([store.rewind("s", 2), store.rewind("s", 99), store.rewind("other", 3)]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(store.rewind("s", 3)).toBe("two");
		expect(counts()).toEqual([2, 0, 1]);
		expect(store.listMessages("s").map(({ message }) => message)).toEqual(said.slice(0, 2));
		expect(store.restore("s", 3)).toBe(3);
		expect(counts()).toEqual([5, 1, 1]);
		expect(store.listMessages("s").map(({ message }) => message)).toEqual(said);
		store.rewind("s", 3);
		store.appendMessage("s", user("something else"));
		expect(store.restore("s", 3)).toBe(0);
		expect(store.check()).toEqual([]);
	});
});

describe("replaceMessages()", () => {
	test("replaceMessages() puts a list in the place of another, in order, and knows its objects", () => {
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		store.appendMessage("s", user("old"));
		const list = [user("summary"), user("next")];
		store.replaceMessages("s", list);
		for (const message of list) store.appendMessage("s", message);
		const stored = store.listMessages("s");
		expect(stored.map(({ message }) => message)).toEqual(list);
		expect(stored.map(({ timestamp }) => timestamp)).toEqual(stored.map(({ timestamp }) => timestamp).toSorted());
		expect(store.getSession("s")?.messageCount).toBe(2);
		expect(() => store.replaceMessages("none", list)).toThrow('Cannot change session "none": no such session');
		expect(store.check()).toEqual([]);
	});
});
