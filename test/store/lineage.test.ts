import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../lib/base/conversation.ts";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";

let home: string;
let store: Store;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-lineage-"));
	store = openStore(join(home, "state.db"));
});
afterEach(() => {
	store.close();
	rmSync(home, { recursive: true, force: true });
});

const day = 86_400;
const now = Math.floor(Date.now() / 1000);
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content, toolCalls: [] });
const create = (id: string, more: object = {}) => store.createSession({ id, source: "cli", ...more });
const texts = (id: string) => store.listMessages(id).map(({ message }) => message.content);

/** As another program would. */
function change(statement: string): void {
	using database = new Database(join(home, "state.db"));
	database.run(statement);
}

/** A session that ended `days` ago. */
function ended(id: string, days: number, more: object = {}): void {
	create(id, { startedAt: now - (days + 1) * day, ...more });
	store.endSession(id, "cli_close");
	change(`UPDATE sessions SET ended_at = ${now - days * day} WHERE id = '${id}'`);
}

describe("continueSession()", () => {
	test("continueSession() ends one and begins the other in one step (R125)", () => {
		create("a");
		store.appendMessage("a", user("long talk"));
		store.setTitle("a", "talk");
		store.continueSession("a", { id: "b", source: "cli" }, [{ role: "user", content: "so far", origin: "summary" }]);
		store.continueSession("b", { id: "c", source: "cli" }, [user("newest")]);
		create("d", { parentSessionId: "c", modelConfig: { _delegate_from: "c" } });
		expect(["a", "b", "c", "d", "none"].map((id) => store.kindOf(id))).toEqual([
			"root",
			"continuation",
			"continuation",
			"delegate",
			undefined,
		]);
		expect([store.tipOf("a"), store.rootOf("c"), store.chainOf("c"), store.getSession("a")?.endReason]).toEqual([
			"c",
			"a",
			["a", "b", "c"],
			"compression",
		]);
		expect(texts("b")).toEqual(["so far"]);
		const startedAt = store.getSession("a")?.startedAt ?? 0;
		expect(
			store.listSessions({ roots: true }).map((session) => [session.id, session.title, session.startedAt]),
		).toEqual([["c", "talk", startedAt]]);
	});

	test("continueSession() that fails leaves the session open and writes nothing", () => {
		create("a");
		const unwritable: Message = JSON.parse('{"role":"user","content":{}}');
		expect(() => store.continueSession("a", { id: "b", source: "cli" }, [user("x"), unwritable])).toThrow();
		expect([store.getSession("a")?.endedAt, store.getSession("b")]).toEqual([null, undefined]);
	});

	test("listChainMessages() joins a chain and leaves out the question that a continuation repeats", () => {
		create("a");
		for (const message of [user("q1"), assistant("a1"), user("q2")]) store.appendMessage("a", message);
		store.continueSession("a", { id: "b", source: "cli" }, [user("q2"), assistant("a2"), user("q2")]);
		expect(store.listChainMessages("b").map(({ message }) => message.content)).toEqual(["q1", "a1", "q2", "a2", "q2"]);
		expect(store.listChainMessages("a").map(({ message }) => message.content)).toEqual(["q1", "a1", "q2"]);
	});
});

test("listChainMessages() has what a compression carried over once, and what was said again later twice", () => {
	create("a");
	const said = [user("q1"), assistant("a1"), user("go on"), assistant("a2"), user("q3"), assistant("a3"), user("q4")];
	for (const message of said) store.appendMessage("a", message);
	const summary: Message = { role: "user", content: "so far", origin: "summary" };
	const carried = [user("q1"), summary, user("q3"), assistant("a3"), user("q4")];
	store.continueSession("a", { id: "b", source: "cli" }, carried);
	for (const message of [assistant("a4"), user("go on"), assistant("a5")]) store.appendMessage("b", message);
	expect(store.listChainMessages("b").map(({ message }) => message.content)).toEqual([
		"q1",
		"a1",
		"go on",
		"a2",
		"q3",
		"a3",
		"q4",
		"so far",
		"a4",
		"go on",
		"a5",
	]);
});

describe("resumeTarget()", () => {
	test("resumeTarget() goes to the tip, and from a shell to the newest descendant with messages", () => {
		create("shell");
		create("empty", { parentSessionId: "shell" });
		create("full", { parentSessionId: "empty" });
		create("errand", { parentSessionId: "shell", modelConfig: { _delegate_from: "shell" } });
		store.appendMessage("full", user("here"));
		store.appendMessage("errand", user("not here"));
		create("lonely");
		expect([store.resumeTarget("shell"), store.resumeTarget("full"), store.resumeTarget("lonely")]).toEqual([
			"full",
			"full",
			"lonely",
		]);
	});

	test("resumeTarget() goes back to what was compressed when its continuation was never written to (R125)", () => {
		create("a");
		store.appendMessage("a", user("here"));
		store.continueSession("a", { id: "b", source: "cli" }, []);
		expect(store.resumeTarget("a")).toBe("a");
		create("closed");
		store.appendMessage("closed", user("here"));
		store.endSession("closed", "compression");
		store.appendMessage("closed", user("still writable"));
		expect([store.resumeTarget("closed"), texts("closed")]).toEqual(["closed", ["here", "still writable"]]);
	});

	test("chainOf() ends in a loop of parents", () => {
		create("a");
		create("b", { parentSessionId: "a" });
		change("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'");
		expect([store.chainOf("a"), store.rootOf("b"), store.tipOf("a")]).toEqual([["b", "a"], "a", "a"]);
	});
});

test("claimSession() holds a session under every id that it goes on with, not its branches, and only as long as the holder lives", () => {
	create("a");
	store.appendMessage("a", user("one"));
	store.branchSession("a", { id: "branch" });
	store.continueSession("a", { id: "b", source: "cli" }, [user("so far")]);
	const alive = () => true;
	expect(store.claimSession("a", "first", alive)).toBeUndefined();
	expect(store.claimSession("b", "second", alive)).toBe("first");
	expect(store.claimSession("b", "first", alive)).toBeUndefined();
	expect(store.claimSession("branch", "second", alive)).toBeUndefined();
	expect(store.claimSession("b", "second", () => false)).toBeUndefined();
	store.releaseSession("a", "first");
	expect(store.claimSession("a", "third", alive)).toBe("second");
	store.releaseSession("b", "second");
	expect(store.claimSession("a", "third", alive)).toBeUndefined();
});

describe("branchSession()", () => {
	test("branchSession() copies what was said up to a message, as a branch of its own", () => {
		create("a", { model: "m", provider: "p", modelConfig: { x: 1 } });
		for (const message of [user("q1"), assistant("a1"), user("q2")]) store.appendMessage("a", message);
		store.branchSession("a", { id: "b", throughId: 2 });
		store.branchSession("a", { id: "c" });
		store.appendMessage("b", user("other"));
		expect([texts("a"), texts("b"), texts("c")]).toEqual([
			["q1", "a1", "q2"],
			["q1", "a1", "other"],
			["q1", "a1", "q2"],
		]);
		expect(store.getSession("b")).toMatchObject({
			parentSessionId: "a",
			model: "m",
			provider: "p",
			messageCount: 3,
			modelConfig: { x: 1, _branched_from: "a" },
		});
		expect(store.kindOf("b")).toBe("branch");
		expect(
			store
				.listSessions({ roots: true })
				.map(({ id }) => id)
				.toSorted(),
		).toEqual(["a", "b", "c"]);
		expect(() => store.branchSession("none", { id: "d" })).toThrow('Cannot change session "none": no such session');
		expect(store.check()).toEqual([]);
	});
});

describe("deleteSession()", () => {
	test("deleteSession() takes delegates and files along and lets other children go", () => {
		mkdirSync(join(home, "sessions"));
		for (const name of [
			"a.json",
			"a.jsonl",
			"session_a.json",
			"request_dump_a_1.json",
			"ab.json",
			"request_dump_b_1",
		]) {
			writeFileSync(join(home, "sessions", name), "");
		}
		create("a");
		create("errand", { parentSessionId: "a", source: "subagent" });
		create("deeper", { parentSessionId: "errand", modelConfig: { _delegate_from: "errand" } });
		store.appendMessage("a", user("gone"));
		store.branchSession("a", { id: "b" });
		expect([store.deleteSession("a"), store.deleteSession("a")]).toEqual([["a", "errand", "deeper"], []]);
		expect(store.listSessions().map(({ id, parentSessionId }) => [id, parentSessionId])).toEqual([["b", null]]);
		expect(texts("b")).toEqual(["gone"]);
		expect(readdirSync(join(home, "sessions")).toSorted()).toEqual(["ab.json", "request_dump_b_1"]);
		expect(store.check()).toEqual([]);
	});
});

describe("prune()", () => {
	test("prune() takes old sessions, and nothing that a younger or open one goes back to", () => {
		for (let index = 0; index < 45; index++) ended(`old${index}`, 100);
		ended("young", 10);
		create("open", { startedAt: now - 200 * day });
		ended("root", 150);
		ended("middle", 120, { parentSessionId: "root" });
		create("tip", { parentSessionId: "middle" });
		ended("parent", 100);
		create("errand", { parentSessionId: "parent", source: "subagent", startedAt: now - 100 * day });
		const wanted = [...Array.from({ length: 45 }, (_, index) => `old${index}`), "errand", "parent"].toSorted();
		expect(store.prune({ dryRun: true }).length).toBe(46);
		expect(store.listSessions({ limit: 1000 }).length).toBe(52);
		expect(store.prune().toSorted()).toEqual(wanted);
		expect(
			store
				.listSessions()
				.map(({ id }) => id)
				.toSorted(),
		).toEqual(["middle", "open", "root", "tip", "young"]);
		ended("tg", 100, { source: "telegram" });
		ended("cli", 100);
		expect(store.prune({ source: "telegram" })).toEqual(["tg"]);
		expect(store.prune({ days: 5 }).toSorted()).toEqual(["cli", "young"]);
		expect(store.check()).toEqual([]);
	});

	test("maintain() runs once a day, takes ghosts and ends orphans of compression", () => {
		ended("old", 100);
		create("ghost", { source: "tui", startedAt: now - 2 * day });
		create("fresh", { source: "tui" });
		ended("full", 20);
		change("UPDATE sessions SET end_reason = 'compression' WHERE id = 'full'");
		create("orphan", { parentSessionId: "full", startedAt: now - 10 * day });
		expect([store.maintain(), store.maintain(), store.maintain({ now: now + 2 * day })]).toEqual([2, 0, 1]);
		expect(store.getSession("orphan")?.endReason).toBe("orphaned_compression");
		expect(
			store
				.listSessions()
				.map(({ id }) => id)
				.toSorted(),
		).toEqual(["full", "orphan"]);
	});
});

describe("exportSessions()", () => {
	test("exportSessions() gives every row, and importSession() takes it into another store", () => {
		create("a", { model: "m" });
		store.setTitle("a", "report");
		for (const message of [user("東京タワー"), assistant("b"), user("taken back")]) store.appendMessage("a", message);
		store.rewind("a", 3);
		create("child", { parentSessionId: "a" });
		const lines = [...store.exportSessions()].map((exported) => JSON.stringify(exported));
		expect([...store.exportSessions(["child", "none"])].length).toBe(1);
		using other = openStore(join(home, "other.db"));
		other.createSession({ id: "x", source: "cli" });
		other.setTitle("x", "report");
		expect(lines.map((line) => other.importSession(JSON.parse(line)))).toEqual([true, true]);
		expect(other.importSession(JSON.parse(lines[0] ?? ""))).toBe(false);
		expect(other.getSession("a")).toMatchObject({ model: "m", title: "report #2", messageCount: 2 });
		expect(other.listMessages("a").map(({ message }) => message)).toEqual([user("東京タワー"), assistant("b")]);
		expect(other.getSession("child")?.parentSessionId).toBe("a");
		expect([...other.exportSessions(["a"])][0]?.messages.map(({ active }) => active)).toEqual([1, 1, 0]);
		expect(() => other.importSession({ session: {} })).toThrow();
		expect(other.check()).toEqual([]);
	});
});
