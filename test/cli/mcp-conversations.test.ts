/** hermes mcp serve: conversations of the store as an MCP client reads and follows them. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";
import { connectToHermes, type McpClient } from "../support/mcp-client.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Starts a process, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const home = temporaryFolder();
let store: Store;
let hermes: McpClient;

const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content, toolCalls: [] });

/** A secret of a shape that is always masked. */
const secret = `ghp_${"a1B2".repeat(9)}`;

beforeAll(async () => {
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	store = openStore(join(home.path, ".hermes/state.db"));
	store.createSession({ id: "old", source: "cli", model: "m", cwd: "/work-place", startedAt: 1_000 });
	store.appendMessage("old", user("where is the teapot?"), { timestamp: 1_001 });
	store.appendMessage("old", assistant("In the kitchen. MEDIA:/tmp/teapot.png ![plan](https://x.example/plan.png)"), {
		timestamp: 1_002,
	});
	store.setTitle("old", "Teapots");
	store.createSession({ id: "long", source: "telegram", startedAt: 2_000 });
	store.appendMessage("long", user(`the key is ${secret}`), { timestamp: 2_001 });
	store.appendMessage("long", assistant("x".repeat(5_000)), { timestamp: 2_002 });
	store.createSession({ id: "delegate", source: "subagent", parentSessionId: "long", startedAt: 2_003 });
	hermes = await connectToHermes([], { home: home.path });
});

afterAll(async () => {
	await hermes[Symbol.asyncDispose]();
	store.close();
	home[Symbol.dispose]();
});

/** The answer of a call that succeeds. */
async function ask(name: string, args: Readonly<Record<string, unknown>> = {}) {
	const { isError, answer } = await hermes.call(name, args);
	expect({ isError, answer }).toEqual({ isError: false, answer });
	return answer;
}

test("there are the ten tools, and those that change nothing say so", async () => {
	const { tools } = await hermes.client.listTools();
	const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
	expect(tools).toHaveLength(10);
	expect(changing).toEqual(["messages_send", "permissions_respond"]);
});

test("conversations are listed newest first, by platform, by name and by what was said", async () => {
	const keys = async (args: Readonly<Record<string, unknown>>) =>
		(await ask("conversations_list", args)).conversations.map(({ session_key: key }: { session_key: string }) => key);
	expect(await ask("conversations_list", { platform: "cli" })).toEqual({
		count: 1,
		conversations: [
			{
				session_key: "old",
				session_id: "old",
				platform: "cli",
				chat_type: null,
				display_name: "Teapots",
				chat_name: null,
				user_name: null,
				updated_at: "1970-01-01T00:16:42.000Z",
			},
		],
	});
	expect(await keys({})).toEqual(["long", "old"]);
	expect(await keys({ limit: 1 })).toEqual(["long"]);
	expect(await keys({ limit: "nonsense" })).toEqual(["long", "old"]);
	expect(await keys({ limit: -5 })).toEqual(["long"]);
	expect(await keys({ search: "teap" })).toEqual(["old"]);
	expect(await keys({ search: "kitchen" })).toEqual(["old"]);
	expect(await keys({ search: "nobody said this" })).toEqual([]);
});

test("one conversation with its numbers; one that is not there is an error that says what to do", async () => {
	expect(await ask("conversation_get", { session_key: "old" })).toMatchObject({
		session_key: "old",
		created_at: "1970-01-01T00:16:40.000Z",
		message_count: 2,
		total_tokens: 0,
		cwd: "/work-place",
	});
	expect(await hermes.call("conversation_get", { session_key: "none" })).toEqual({
		isError: true,
		answer: { error: expect.stringContaining("take a session_key that conversations_list gives") },
	});
	expect((await hermes.call("messages_read", {})).answer.error).toContain("Cannot do this without session_key");
});

test("messages come in order, cut and without secrets; attachments are what a message names", async () => {
	const { messages, total_in_session: total } = await ask("messages_read", { session_key: "old" });
	expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
	expect(total).toBe(2);
	const long = await ask("messages_read", { session_key: "long" });
	expect(long.messages[0].content).toStartWith("the key is ");
	expect(JSON.stringify(long)).not.toContain(secret);
	expect(long.messages[1].content).toHaveLength(2_000);
	const found = await ask("attachments_fetch", { session_key: "old", message_id: messages[1].id });
	expect(found).toEqual({
		message_id: messages[1].id,
		count: 2,
		attachments: [
			{ type: "media", path: "/tmp/teapot.png" },
			{ type: "image", url: "https://x.example/plan.png" },
		],
	});
	const elsewhere = await hermes.call("attachments_fetch", { session_key: "long", message_id: messages[1].id });
	expect(elsewhere.answer.error).toContain("take an id that messages_read gives");
});

test("events are what is said from now on, in order, once; what a compression carries over is no news", async () => {
	const nothing = await ask("events_poll");
	expect(nothing.events).toEqual([]);
	const waiting = ask("events_wait", { after_cursor: nothing.next_cursor, timeout_ms: 20_000 });
	store.appendMessage("old", user("and the cups?"));
	const { event, reason } = await waiting;
	expect({ event, reason }).toEqual({
		reason: "event",
		event: expect.objectContaining({ type: "message", session_key: "old", role: "user", content: "and the cups?" }),
	});
	store.appendMessage("long", user("something else"));
	store.appendMessage("delegate", user("of no interest"));
	store.appendMessage("old", { ...assistant(""), toolCalls: [{ id: "1", name: "terminal", arguments: "{}" }] });
	const carried = [{ ...user("what was said"), origin: "summary" as const }, user("and the cups?")];
	store.continueSession("old", { id: "next", source: "cli" }, carried);
	store.appendMessage("next", assistant("Beside it."));
	const polled = await ask("events_poll", { after_cursor: event.cursor });
	expect(polled.events.map(({ content }: { content: string }) => content)).toEqual(["something else", "Beside it."]);
	const own = await ask("events_poll", { after_cursor: event.cursor, session_key: "next" });
	expect(own.events.map(({ session_key: key }: { session_key: string }) => key)).toEqual(["old"]);
	expect((await ask("events_poll", { after_cursor: polled.next_cursor })).events).toEqual([]);
	const quiet = await ask("events_wait", { after_cursor: polled.next_cursor, timeout_ms: 300 });
	expect(quiet).toEqual({ event: null, reason: "timeout", next_cursor: polled.next_cursor });
	expect((await ask("conversation_get", { session_key: "old" })).session_id).toBe("next");
});

test("a client that does not want to wait any more is not waited for", async () => {
	const cancel = new AbortController();
	const waiting = hermes.call("events_wait", { timeout_ms: 300_000, session_key: "long" }, { signal: cancel.signal });
	// There is news of it already, unless it is asked for what comes later.
	await waiting;
	const { next_cursor: now } = await ask("events_poll", {});
	const later = hermes.call("events_wait", { after_cursor: now, timeout_ms: 300_000 }, { signal: cancel.signal });
	cancel.abort("enough");
	expect(later).rejects.toThrow("enough");
	await later.catch(() => undefined);
	expect((await ask("conversations_list")).count).toBe(2);
});

test("what only the gateway can do says that none is running, and what to do", async () => {
	const calls = [
		["messages_send", { target: "telegram:1", message: "hello" }],
		["channels_list", {}],
		["permissions_list_open", {}],
		["permissions_respond", { id: "1", decision: "deny" }],
	] as const;
	for (const [name, args] of calls) {
		const { isError, answer } = await hermes.call(name, args);
		expect(isError).toBe(true);
		expect(answer.error).toContain("no gateway is running");
		expect(answer.error).toContain("Start it");
	}
});

test("answers have the form that the list of tools says, for programs as well as for models", async () => {
	// The SDK's client checks answers by the schemas of the list that it has asked for.
	const { tools } = await hermes.client.listTools();
	const withForm = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name);
	expect(withForm).toHaveLength(6);
	const message = {
		session_key: "old",
		message_id: String((await ask("messages_read", { session_key: "old" })).messages[1].id),
	};
	for (const name of withForm) {
		const args = { session_key: "old", timeout_ms: 0, ...(name === "attachments_fetch" && message) };
		const { content, structuredContent } = await hermes.client.callTool({ name, arguments: args });
		expect(content, name).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
	}
	const refused = await hermes.client.callTool({ name: "conversation_get", arguments: { session_key: "none" } });
	expect([refused.isError, refused.structuredContent]).toEqual([true, undefined]);
});

test("conversations are resources as well, without what is secret; an address of nothing is refused", async () => {
	const { resources } = await hermes.client.listResources();
	expect(resources.map(({ uri }) => uri)).toContain("hermes://conversations/old");
	const { resourceTemplates } = await hermes.client.listResourceTemplates();
	expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["hermes://conversations/{session_key}"]);
	const read = async (key: string) =>
		JSON.stringify((await hermes.client.readResource({ uri: `hermes://conversations/${key}` })).contents);
	expect(await read("old")).toContain("where is the teapot?");
	expect(await read("long")).not.toContain(secret);
	for (const key of ["none", "%E0", "../../etc/passwd"]) await expect(read(key)).rejects.toThrow("Resource not found");
	await expect(hermes.client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow("Resource not found");
});
