/** Many children at once: slots, those that hang, crash or go on for too long, interrupts, budgets and depth. */

import { describe, expect, test } from "bun:test";
import { createBudget } from "../../../lib/agent/budget.ts";
import type { ModelClient } from "../../../lib/providers/provider.ts";
import { delegationScene, hangingModel, resultsOf, taskOf } from "../../support/delegation-scene.ts";
import { callOf, scriptedModel } from "../../support/scripted-model.ts";

/** Answers at once. */
const quick = (goal: string) => scriptedModel([{ content: `${goal} is done` }]);
/** Calls tools for ever, until it is told to sum up. */
const endless: ModelClient = {
	async *complete({ toolChoice }) {
		const toolCalls = toolChoice === "none" ? [] : [callOf("look", { at: Math.random() }, crypto.randomUUID())];
		const content = toolChoice === "none" ? "half of it is done" : "going on";
		yield { type: "finished", message: { role: "assistant", content, toolCalls } };
	},
};

/** Twenty tasks; `special` are those of some of them. */
function twenty(special: Readonly<Record<number, string>>) {
	return Array.from({ length: 20 }, (_, index) => taskOf(special[index] ?? `task ${index}`));
}

function modelFor(goal: string): ModelClient {
	if (goal === "hang") return hangingModel;
	if (goal === "crash") throw new Error("no key for this model");
	return goal === "endless" ? endless : quick(goal);
}

function counted(results: readonly Record<string, unknown>[]) {
	const counts: Record<string, number> = {};
	for (const { status } of results) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
	return counts;
}

describe("twenty children with three slots", () => {
	test("one that hangs, one that crashes and one over its budget hold none of the others", async () => {
		const scene = delegationScene({
			modelFor,
			limits: { atOnce: 3, modelCalls: 5 },
			stall: { idleMs: 1_000, inToolMs: 1_000 },
		});
		await using _engine = scene.engine;
		const tasks = twenty({ 0: "hang", 4: "crash", 7: "endless" });
		const results = resultsOf(await scene.delegation.start(tasks));
		expect(results.map(({ task_index }) => task_index)).toEqual(tasks.map((_, index) => index));
		expect(counted(results)).toEqual({ completed: 18, stalled: 1, error: 1 });
		expect(results[0]).toMatchObject({
			goal: "hang",
			status: "stalled",
			error: expect.stringMatching(
				/^Nothing has happened for \d+ s, while the model was asked; no model call was answered/,
			),
		});
		expect(results[4]).toMatchObject({ goal: "crash", status: "error", error: "no key for this model" });
		expect(results[7]).toMatchObject({
			goal: "endless",
			status: "completed",
			exit_reason: "max_iterations",
			summary: "half of it is done",
		});
		expect(scene.seen.mostAtOnce).toBe(3);
		expect(scene.seen.working).toBe(0);
		// The hanging one was the first to begin; all others had ended before it.
		const ends = scene.events.flatMap((one) => (one.type === "subagent" && one.event === "finished" ? [one.goal] : []));
		expect(ends.at(-1)).toBe("hang");
	});

	test("an interrupt in the middle keeps what is finished, stops what works, and never begins the rest", async () => {
		const { promise: reached, resolve } = Promise.withResolvers<void>();
		let calls = 0;
		const slow = (goal: string) => scriptedModel([{ toolCalls: [callOf("look")] }, { content: `${goal} is done` }]);
		const scene = delegationScene({
			modelFor: (goal) => (goal.startsWith("task") ? slow(goal) : modelFor(goal)),
			limits: { atOnce: 3 },
			async onCall(_goal, signal) {
				calls++;
				if (calls <= 6) return;
				if (calls === 7) resolve();
				await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
			},
		});
		await using _engine = scene.engine;
		const answer = scene.delegation.start(twenty({ 1: "hang", 3: "crash" }));
		await reached;
		// The sixth may still be on its way to its report.
		while (scene.seen.closed.length < 6) await Bun.sleep(1);
		const before = performance.now();
		scene.interrupt();
		const results = resultsOf(await answer);
		// None is waited for that does not stop; a bound against hangs, not a measure.
		expect(performance.now() - before).toBeLessThan(10_000);
		const counts = counted(results);
		expect(counts).toMatchObject({ completed: 6, error: 1 });
		expect(results[1]).toMatchObject({ goal: "hang" });
		const stopped = results.filter(({ status }) => status === "interrupted" || status === "abandoned");
		expect(stopped).toHaveLength(20 - 6 - 1);
		expect(results.at(-1)).toMatchObject({
			status: "abandoned",
			api_calls: 0,
			error: "Never begun: the delegation was stopped before its turn came",
		});
		const begun = new Set(scene.events.flatMap((one) => (one.type === "subagent" ? [one.task_index] : [])));
		expect(begun.size).toBeLessThan(12);
	});
});

describe("limits", () => {
	test("a child over its time says what it had said and done, and which files it had changed (R140)", async () => {
		const { promise: never } = Promise.withResolvers<void>();
		const scene = delegationScene({
			modelFor: () => scriptedModel([{ content: "I write the file first.", toolCalls: [callOf("change")] }]),
			limits: { timeoutMs: 300 },
			filesWritten: ["/project/report.md"],
			onCall: () => never,
		});
		await using _engine = scene.engine;
		const [result] = resultsOf(await scene.delegation.start([taskOf("write")]));
		expect(result).toMatchObject({
			status: "timeout",
			exit_reason: "timeout",
			error: "Its time was up after 0.3 s",
			partial: "I write the file first.",
			files_written: ["/project/report.md"],
			api_calls: 1,
			tool_trace: [{ tool: "change" }],
		});
	});

	test("a child that hangs inside a tool is stopped later than one whose model is silent, and the tool is named", async () => {
		const scene = delegationScene({
			modelFor: (goal) => (goal === "hang" ? hangingModel : scriptedModel([{ toolCalls: [callOf("change")] }])),
			stall: { idleMs: 100, inToolMs: 400 },
			onCall: () => new Promise(() => {}),
		});
		await using _engine = scene.engine;
		const results = resultsOf(await scene.delegation.start([taskOf("build"), taskOf("hang")]));
		expect(results).toMatchObject([
			{ status: "stalled", error: expect.stringMatching(/^Nothing has happened for \d+ s, inside change$/) },
			{ status: "stalled", error: expect.stringContaining("while the model was asked") },
		]);
		const ends = scene.events.flatMap((one) => (one.type === "subagent" && one.event === "finished" ? [one.goal] : []));
		expect(ends).toEqual(["hang", "build"]);
	});

	test("children spend from the turn of their parent: a tree of budgets", async () => {
		const turn = createBudget(10);
		turn.spend();
		const scene = delegationScene({ modelFor: () => endless, turnBudget: turn, limits: { modelCalls: 6, atOnce: 1 } });
		await using _engine = scene.engine;
		const results = resultsOf(await scene.delegation.start([taskOf("a"), taskOf("b")]));
		// Six for the first, and what is left of ten for the second; each sums up with a call that is counted from no budget.
		expect(results.map(({ api_calls }) => api_calls)).toEqual([7, 4]);
		expect([turn.used, turn.remaining]).toEqual([10, 0]);
		const apart = delegationScene({
			modelFor: () => endless,
			turnBudget: turn,
			limits: { modelCalls: 6, sharesBudget: false },
		});
		await using _apart = apart.engine;
		expect(resultsOf(await apart.delegation.start([taskOf("c")]))).toMatchObject([{ api_calls: 7 }]);
	});

	test("tokens of children count for the limits of their conversation, and are in their reports", async () => {
		const scene = delegationScene({ modelFor: quick, maxTotalTokens: 30, limits: { atOnce: 1 } });
		await using _engine = scene.engine;
		const results = resultsOf(await scene.delegation.start(["a", "b", "c"].map((goal) => taskOf(goal))));
		expect(results).toMatchObject([
			{ status: "completed", tokens: { input: 13, output: 5 } },
			{ status: "completed", tokens: { input: 13, output: 5 } },
			{ status: "failed", error: expect.stringContaining("agent.max_total_tokens"), tokens: { input: 0, output: 0 } },
		]);
		expect(scene.spending.tokens).toBe(36);
	});

	test("agents stand as deep as the settings allow, and an orchestrator waits for its own children", async () => {
		const handsOut = { tasks: [taskOf("inner", { role: "orchestrator" })] };
		const outer = () => scriptedModel([{ toolCalls: [callOf("delegate_task", handsOut)] }, { content: "passed on" }]);
		const asked: string[] = [];
		const modelFor = (goal: string) => {
			asked.push(goal);
			return goal === "outer" ? outer() : quick(goal);
		};
		const deep = delegationScene({ modelFor, limits: { depth: 2 } });
		await using _deep = deep.engine;
		const [result] = resultsOf(await deep.delegation.start([taskOf("outer", { role: "orchestrator" })]));
		expect(result).toMatchObject({ role: "orchestrator", status: "completed", summary: "passed on" });
		expect(asked).toEqual(["outer", "inner"]);
		const inner = deep.events.find((event) => event.type === "subagent" && event.goal === "inner");
		expect(inner).toMatchObject({ depth: 2, parent_id: result?.subagent_id });

		const flat = delegationScene({ modelFor: quick, limits: { depth: 1 } });
		await using _flat = flat.engine;
		const [leaf] = resultsOf(await flat.delegation.start([taskOf("x", { role: "orchestrator" })]));
		expect(leaf).toMatchObject({ role: "leaf" });
		const none = delegationScene({ modelFor: quick, limits: { depth: 0 } });
		await using _none = none.engine;
		expect(await none.delegation.start([taskOf("x")])).toEqual({
			ok: false,
			why: "Cannot hand out tasks at depth 0: agents stand 0 levels deep at most (delegation.max_spawn_depth)",
		});
	});

	test("a long report is cut, and saved whole where it can be read", async () => {
		const saved: string[] = [];
		const scene = delegationScene({
			modelFor: () => scriptedModel([{ content: "x".repeat(30_000) }]),
			async saveText(_name, text) {
				saved.push(text);
				return { ok: true, path: "/tmp/saved" };
			},
		});
		await using _engine = scene.engine;
		const [result] = resultsOf(await scene.delegation.start([taskOf("long")]));
		expect(result).toMatchObject({
			summary: expect.stringMatching(/^x{24000}\n\[cut at 24000 of 30000 characters; all of it is in \/tmp\/saved\]$/),
			summary_file: "/tmp/saved",
		});
		expect(saved).toEqual(["x".repeat(30_000)]);
	});

	test("a task without any tool left is refused before anything begins", async () => {
		const scene = delegationScene({ modelFor: quick });
		await using _engine = scene.engine;
		const answer = await scene.delegation.start([taskOf("a"), taskOf("b", { toolsets: ["web", "delegation"] })]);
		expect(answer).toEqual({
			ok: false,
			why: "Task 1 would have no tools: web: you do not have these tools yourself; delegation: a sub-agent never gets these tools",
		});
		expect(scene.events).toEqual([]);
	});
});
