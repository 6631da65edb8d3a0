import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TokenUsage } from "../../lib/base/conversation.ts";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";

let home: string;
let store: Store;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-sessions-"));
	store = openStore(join(home, "state.db"));
});
afterEach(() => {
	store.close();
	rmSync(home, { recursive: true, force: true });
});

const usage: TokenUsage = {
	inputTokens: 1,
	outputTokens: 2,
	cacheReadTokens: 3,
	cacheWriteTokens: 4,
	reasoningTokens: 5,
};
const create = (id: string, more: object = {}) => store.createSession({ id, source: "cli", ...more });

describe("updateSession()", () => {
	test("updateSession() changes what is named and leaves the rest", () => {
		create("s", { model: "m", cwd: "/a", systemPrompt: "p", modelConfig: { temperature: 0.5 } });
		store.updateSession("s", { cwd: "/b", archived: true });
		store.updateSession("s", { systemPrompt: "q", model: "n", modelConfig: { deep: { x: [1] } } });
		expect(store.getSession("s")).toMatchObject({
			model: "n",
			cwd: "/b",
			systemPrompt: "q",
			archived: true,
			modelConfig: { deep: { x: [1] } },
		});
		expect([store.listSessions({}).length, store.listSessions({ archived: true }).length]).toEqual([0, 1]);
		expect(() => store.updateSession("none", { cwd: "/" })).toThrow('Cannot change session "none": no such session');
	});

	test("reopenSession() takes the end back, so that it can end again", () => {
		create("s");
		store.endSession("s", "cli_close");
		store.reopenSession("s");
		expect(store.getSession("s")).toMatchObject({ endedAt: null, endReason: null });
		store.endSession("s", "new_session");
		expect(store.getSession("s")).toMatchObject({ endReason: "new_session" });
	});

	test("isInterrupted() tells a session whose last message waits for an answer (R128)", () => {
		create("s");
		const seen = [store.isInterrupted("s")];
		store.appendMessage("s", { role: "user", content: "?" });
		seen.push(store.isInterrupted("s"));
		store.appendMessage("s", { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: "{}" }] });
		seen.push(store.isInterrupted("s"));
		store.appendMessage("s", { role: "assistant", content: "!", toolCalls: [] });
		seen.push(store.isInterrupted("s"));
		store.appendMessage("s", { role: "user", content: "?" });
		store.endSession("s", "cli_close");
		seen.push(store.isInterrupted("s"));
		expect(seen).toEqual([false, true, true, false, false]);
	});
});

describe("addUsage()", () => {
	test("addUsage() keeps all five counters, a row a call, and fills what is not known yet", () => {
		create("s");
		store.addUsage("s", usage, { provider: "p", model: "m", baseUrl: "u", costUsd: 0.5 });
		store.addUsage("s", usage, { provider: "other", model: "n", costUsd: 0.25 });
		store.addUsage("s", usage);
		const doubled = { inputTokens: 3, outputTokens: 6, cacheReadTokens: 9, cacheWriteTokens: 12, reasoningTokens: 15 };
		expect(store.getSession("s")).toMatchObject({
			provider: "p",
			model: "m",
			baseUrl: "u",
			apiCallCount: 3,
			costUsd: 0.75,
			usage: doubled,
		});
		expect(store.listModelCalls("s").map(({ timestamp: _, ...call }) => call)).toEqual([
			{ provider: "p", model: "m", usage, costUsd: 0.5, task: null },
			{ provider: "other", model: "n", usage, costUsd: 0.25, task: null },
			{ provider: "p", model: "m", usage, costUsd: null, task: null },
		]);
		store.setUsage("s", usage);
		expect(store.getSession("s")?.usage).toEqual(usage);
		store.updateSession("s", { actualCostUsd: 2 });
		expect(store.stats()).toMatchObject({ sessions: 1, messages: 0, bySource: { cli: 1 }, usage, costUsd: 2 });
	});
});

describe("setTitle()", () => {
	test("setTitle() cleans, limits and keeps titles unique", () => {
		create("a");
		create("b");
		expect(store.setTitle("a", "  Re\u200bport \u202e of\n\tMay ")).toEqual({ ok: true, value: "Report of May" });
		expect(store.setTitle("b", "Report of May")).toEqual({
			ok: false,
			reason: 'Cannot use the title "Report of May": session "a" has it',
		});
		expect(store.setTitle("b", " \u200b")).toEqual({
			ok: false,
			reason: 'Cannot name session "b": the title is empty',
		});
		expect(store.setTitle("b", "🙂".repeat(100))).toEqual({ ok: true, value: "🙂".repeat(100) });
		expect(store.setTitle("b", "x".repeat(101))).toEqual({
			ok: false,
			reason: 'Cannot name session "b": the title has 101 characters and may have 100',
		});
		expect(() => store.setTitle("none", "t")).toThrow('Cannot change session "none": no such session');
	});

	test("nextTitle() counts on in a line, findByTitle() finds its newest", () => {
		for (const [id, title] of [
			["a", "100% _done"],
			["b", "100% _done #2"],
			["c", "100% _done #10"],
			["d", "100x xdone #40"],
			["e", "100% _done #x"],
		] as const) {
			create(id);
			expect(store.setTitle(id, title)).toEqual({ ok: true, value: title });
		}
		expect(["100% _done", "100% _done #2", "new", "new #7"].map((title) => store.nextTitle(title))).toEqual([
			"100% _done #11",
			"100% _done #11",
			"new",
			"new",
		]);
		expect(
			["100% _done", "100% _done #2", "100% _done #3", "100% _done #x"].map((title) => store.findByTitle(title)?.id),
		).toEqual(["c", "b", undefined, "e"]);
	});

	test("setTitle() in two connections at once gives one of them the title", () => {
		using other = openStore(join(home, "state.db"));
		create("a");
		create("b");
		expect([store.setTitle("a", "same").ok, other.setTitle("b", "same").ok]).toEqual([true, false]);
	});
});

describe("takeCompressionLock()", () => {
	test("takeCompressionLock() gives it to one holder until it expires or is released", () => {
		const first = store.takeCompressionLock("s", "one");
		const tries = [first, store.takeCompressionLock("s", "two"), store.takeCompressionLock("s", "one")];
		expect(tries).toEqual([true, false, true]);
		expect(store.compressionHolder("s")).toBe("one");
		store.releaseCompressionLock("s", "two");
		expect(store.compressionHolder("s")).toBe("one");
		store.releaseCompressionLock("s", "one");
		expect(store.compressionHolder("s")).toBeUndefined();
		store.takeCompressionLock("s", "one", -1);
		expect(store.compressionHolder("s")).toBeUndefined();
		expect(store.takeCompressionLock("s", "two")).toBe(true);
	});
});

describe("requestHandoff()", () => {
	test("requestHandoff() is claimed once and ends completed or failed", () => {
		create("a");
		create("b");
		expect([store.requestHandoff("a", "telegram"), store.requestHandoff("a", "telegram")]).toEqual([true, false]);
		expect(store.requestHandoff("b", "telegram")).toBe(true);
		expect([store.claimHandoff("slack"), store.claimHandoff("telegram"), store.claimHandoff("telegram")]).toEqual([
			undefined,
			"a",
			"b",
		]);
		expect(store.claimHandoff("telegram")).toBeUndefined();
		store.finishHandoff("a");
		store.finishHandoff("b", "no chat");
		expect([store.handoffOf("a"), store.handoffOf("b"), store.handoffOf("none")]).toEqual([
			{ state: "completed", platform: "telegram", error: null },
			{ state: "failed", platform: "telegram", error: "no chat" },
			undefined,
		]);
		expect(store.requestHandoff("b", "slack")).toBe(true);
	});
});
