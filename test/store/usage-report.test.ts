/** What a session has used, with all that belongs to it. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";
import { sessionReport, usageReport } from "../../lib/store/usage-report.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;

beforeEach(() => {
	folder = temporaryFolder();
	store = openStore(join(folder.path, "state.db"));
});
afterEach(() => {
	store.close();
	folder[Symbol.dispose]();
});

function use(sessionId: string, inputTokens: number, task?: string): void {
	const usage = { inputTokens, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
	store.addUsage(sessionId, usage, { costUsd: inputTokens / 1000, ...(task !== undefined && { task }) });
}

/** A conversation that was compressed, with sub-agents in both parts, one of which has its own; and one that was branched off. */
function fillStore(): void {
	const child = (id: string, parent: string) =>
		store.createSession({ id, source: "subagent", parentSessionId: parent, modelConfig: { _delegate_from: parent } });
	store.createSession({ id: "a", source: "cli", model: "m", provider: "p" });
	use("a", 100);
	use("a", 10, "title_generation");
	child("a-child", "a");
	use("a-child", 1000);
	child("a-grandchild", "a-child");
	use("a-grandchild", 2000);
	use("a", 50, "compression");
	store.continueSession("a", { id: "b", source: "cli", model: "m", provider: "p" }, []);
	use("b", 200);
	child("b-child", "b");
	use("b-child", 4000);
	use("b-child", 7, "compression");
	store.branchSession("b", { id: "branch" });
	use("branch", 9000);
}

test("sessionReport() adds up the parts of a conversation, its side tasks and its sub-agents, and no branch", () => {
	fillStore();
	const expected = [
		["conversation", 2, 300],
		["subagents", 3, 7000],
		["compression", 2, 57],
		["title_generation", 1, 10],
	];
	for (const id of ["a", "b"]) {
		const rows = sessionReport(store, id);
		expect(rows.map(({ task, calls, usage }) => [task, calls, usage.inputTokens])).toEqual(expected);
	}
	expect(sessionReport(store, "a-child").map(({ task, calls }) => [task, calls])).toEqual([["subagents", 2]]);
	expect(sessionReport(store, "branch").map(({ task, usage }) => [task, usage.inputTokens])).toEqual([
		["conversation", 9000],
	]);
});

test("usageReport() has the same total by model, by task and in the sessions' own rows", () => {
	fillStore();
	const { tasks, models } = usageReport(store, 0);
	const sum = (rows: typeof tasks | typeof models) => rows.reduce((all, { usage }) => all + usage.inputTokens, 0);
	const cost = (rows: typeof tasks | typeof models) => rows.reduce((all, { costUsd }) => all + costUsd, 0);
	const { usage, costUsd } = store.stats();
	expect([sum(tasks), sum(models)]).toEqual([usage.inputTokens, usage.inputTokens]);
	expect(cost(tasks)).toBeCloseTo(costUsd, 9);
	expect(cost(models)).toBeCloseTo(costUsd, 9);
});
