/** Delegations that nobody waits for: the handle, the one notice at the end, the record, and what can be done meanwhile. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openRecords } from "../../../lib/agent/delegate/records.ts";
import type { ModelClient } from "../../../lib/providers/provider.ts";
import { delegationScene, hangingModel, taskOf } from "../../support/delegation-scene.ts";
import { callOf, scriptedModel } from "../../support/scripted-model.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const quick = (goal: string) => scriptedModel([{ content: `${goal} is done` }]);
const modelFor = (goal: string): ModelClient => (goal === "hang" ? hangingModel : quick(goal));

function handleOf(answer: {
	readonly ok: boolean;
	readonly data?: Readonly<Record<string, unknown>>;
	readonly why?: string;
}) {
	if (!answer.ok) throw new Error(answer.why);
	return String(answer.data?.delegation_id);
}

describe("a delegation in the background", () => {
	test("gives a handle at once and is told once, when its last child has ended", async () => {
		const scene = delegationScene({ modelFor, inBackground: true });
		await using _engine = scene.engine;
		const answer = await scene.delegation.start([taskOf("a"), taskOf("b\nin detail")]);
		expect(answer).toMatchObject({
			ok: true,
			data: {
				status: "dispatched",
				mode: "background",
				delegation_id: expect.stringMatching(/^deleg_[0-9a-f]{8}$/),
				tasks: [
					{ task_index: 0, goal: "a" },
					{ task_index: 1, goal: "b\nin detail" },
				],
			},
		});
		expect([scene.isExpected(), scene.told()]).toEqual([true, []]);
		await scene.untilTold();
		expect(scene.told()).toEqual([
			expect.stringMatching(
				/^\[IMPORTANT: Delegation deleg_\w+ has ended \(2 completed; [\d.]+ s\)\. .*\n\nTask 0 \(completed, .*\): a\na is done\n\nTask 1 \(completed, .*\): b\nb\nin detail is done\]\n\[Files .*\]$/s,
			),
		]);
		expect(scene.isExpected()).toBe(false);
	});

	test("does not give a long task back to the agent that wrote it", async () => {
		const scene = delegationScene({ modelFor: () => quick("it"), inBackground: true });
		await using _engine = scene.engine;
		const answer = await scene.delegation.start([taskOf("x".repeat(100_000))]);
		const id = handleOf(answer);
		await scene.untilTold();
		const said = [answer, scene.delegation.status(id), scene.told(), scene.events];
		expect(JSON.stringify(said).length).toBeLessThan(5_000);
	});

	test("are not over before a place that was still being made when they were cancelled is put away", async () => {
		const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const seen: string[] = [];
		const begins = { kind: "worktree", summary: "", target: "/project" } as const;
		const scene = delegationScene({
			modelFor: quick,
			inBackground: true,
			isolation: {
				async open() {
					begun.resolve();
					await goOn.promise;
					const finish = async () => {
						await Bun.sleep(1);
						seen.push("put away");
						return { kind: "unchanged" } as const;
					};
					return { cwd: "/place", description: "", begun: begins, finish };
				},
				merge: () => Promise.reject(new Error("not asked for")),
				discard: () => Promise.reject(new Error("not asked for")),
			},
		});
		await using _engine = scene.engine;
		const id = handleOf(await scene.delegation.start([taskOf("a", { isolation: "worktree" })]));
		await begun.promise;
		const cancelling = scene.delegation.cancel(id);
		goOn.resolve();
		expect(await cancelling).toMatchObject({ ok: true, data: { results: [{ status: "interrupted" }] } });
		expect(seen).toEqual(["put away"]);
	});

	test("tells what there is when the rest takes long, and each report once", async () => {
		const { promise: goOn, resolve } = Promise.withResolvers<void>();
		const slow = () => scriptedModel([{ toolCalls: [callOf("look")] }, { content: "slow is done" }]);
		const scene = delegationScene({
			modelFor: (goal) => (goal === "slow" ? slow() : quick(goal)),
			inBackground: true,
			lullMs: 100,
			onCall: () => goOn,
		});
		await using _engine = scene.engine;
		const id = handleOf(await scene.delegation.start(["a", "slow", "b"].map((goal) => taskOf(goal))));
		await scene.untilTold();
		const [part] = scene.told();
		expect(part).toMatch(
			/^\[IMPORTANT: Delegation deleg_\w+ goes on; .*\(2 completed, 1 running; .*a is done.*b is done\]/s,
		);
		expect(part).not.toContain("Task 1");
		expect(part).toContain("[Files that you had read were changed meanwhile: /project/changed.txt]");
		scene.engine.wasTold(id);
		expect([scene.isExpected(), scene.delegation.list()[0]?.status]).toEqual([true, "running"]);
		resolve();
		await scene.untilTold();
		const [rest] = scene.told();
		expect(rest).toMatch(/has ended \(3 completed; .*slow is done\]/s);
		expect(rest).not.toContain("a is done");
		expect(scene.isExpected()).toBe(false);
	});

	test("one child over its time is one notice about a failure, and no silence (R139)", async () => {
		const scene = delegationScene({ modelFor, inBackground: true, limits: { timeoutMs: 200, atOnce: 3 } });
		await using _engine = scene.engine;
		await scene.delegation.start(["a", "hang", "b"].map((goal) => taskOf(goal)));
		await scene.untilTold();
		const told = scene.told();
		expect(told).toHaveLength(1);
		expect(told[0]).toContain("(2 completed, 1 timeout; ");
		expect(told[0]).toMatch(
			/Task 1 \(timeout, .*\): hang\nWhy: Its time was up after 0\.2 s; no model call was answered/,
		);
	});

	test("has its end in the record before anybody is told of it (R142)", async () => {
		using home = temporaryFolder();
		const records = openRecords(join(home.path, "delegations"));
		const scene = delegationScene({ modelFor, inBackground: true, records });
		await using _engine = scene.engine;
		const id = handleOf(await scene.delegation.start([taskOf("a")]));
		expect(records.get(id)).toMatchObject({ status: "running", children: [{ status: "running", goal: "a" }] });
		// It waits to be told; nobody has taken it yet.
		await scene.untilTold();
		expect(records.get(id)).toMatchObject({
			status: "finished",
			told: false,
			children: [{ status: "completed", summary: "a is done" }],
		});
		scene.engine.wasTold(id);
		expect(records.get(id)?.told).toBe(true);
	});

	test("outlives an interrupt of the turn that handed it out", async () => {
		const { promise: goOn, resolve } = Promise.withResolvers<void>();
		const model = () => scriptedModel([{ toolCalls: [callOf("look")] }, { content: "done all the same" }]);
		const scene = delegationScene({ modelFor: model, inBackground: true, onCall: () => goOn });
		await using _engine = scene.engine;
		await scene.delegation.start([taskOf("a")]);
		scene.interrupt();
		resolve();
		await scene.untilTold();
		expect(scene.told()).toEqual([expect.stringContaining("done all the same")]);
	});

	test("more than the limit at once are refused, with what can be done about it", async () => {
		const scene = delegationScene({ modelFor, inBackground: true, limits: { inBackground: 1 } });
		await using _engine = scene.engine;
		const id = handleOf(await scene.delegation.start([taskOf("hang")]));
		expect(await scene.delegation.start([taskOf("a")])).toEqual({
			ok: false,
			why: `Cannot hand out more: 1 delegations run (${id}). Wait until you are told that one has ended, or cancel one`,
		});
	});

	test("is listed and shown while it runs, and what was seen or cancelled is not told again", async () => {
		const scene = delegationScene({ modelFor, inBackground: true });
		await using _engine = scene.engine;
		const { delegation } = scene;
		const id = handleOf(await delegation.start([taskOf("hang"), taskOf("a")]));
		const finished = () => scene.events.some((event) => event.type === "subagent" && event.event === "finished");
		while (!finished()) await Bun.sleep(5);
		expect(delegation.list()).toMatchObject([{ delegation_id: id, status: "running" }]);
		expect(delegation.status(id)).toMatchObject({
			ok: true,
			data: { status: "running", results: [{ status: "running" }, { status: "completed", summary: "a is done" }] },
		});
		expect(await delegation.cancel(id)).toMatchObject({
			ok: true,
			data: { status: "cancelled", results: [{ goal: "hang" }, { status: "completed", summary: "a is done" }] },
		});
		expect([scene.isExpected(), scene.told()]).toEqual([false, []]);
		const other = handleOf(await delegation.start([taskOf("b")]));
		await scene.untilTold();
		expect(delegation.status(other)).toMatchObject({ ok: true, data: { status: "finished" } });
		expect(scene.told()).toEqual([]);
		expect(delegation.status("deleg_00000000")).toMatchObject({ ok: false });
	});

	test("a request on disk cancels it, and its agent is told", async () => {
		using home = temporaryFolder();
		const records = openRecords(join(home.path, "delegations"));
		const scene = delegationScene({ modelFor, inBackground: true, records });
		await using _engine = scene.engine;
		const id = handleOf(await scene.delegation.start([taskOf("hang"), taskOf("a")]));
		records.askToCancel(id);
		await scene.untilTold();
		expect(scene.told()).toEqual([expect.stringContaining("was cancelled by the user")]);
		expect(records.get(id)?.status).toBe("cancelled");
	});

	test("disposing of the engine stops it, keeps what is known and tells nobody", async () => {
		using home = temporaryFolder();
		const records = openRecords(join(home.path, "delegations"));
		const scene = delegationScene({ modelFor, inBackground: true, records, limits: { atOnce: 2 } });
		const id = handleOf(await scene.delegation.start(["hang", "a", "b"].map((goal) => taskOf(goal))));
		const isDone = () => records.get(id)?.children[2]?.status === "completed";
		while (!isDone()) await Bun.sleep(5);
		await scene.engine[Symbol.asyncDispose]();
		expect(records.get(id)).toMatchObject({
			status: "cancelled",
			told: false,
			children: [{ goal: "hang" }, { status: "completed", summary: "a is done" }, { status: "completed" }],
		});
		expect(scene.told()).toEqual([]);
	});
});

describe("records", () => {
	test("what a dead process has left running is lost, with what is known of it, and is told once", async () => {
		using home = temporaryFolder();
		const records = openRecords(join(home.path, "delegations"));
		const first = delegationScene({ modelFor, inBackground: true, records });
		const id = handleOf(await first.delegation.start([taskOf("hang"), taskOf("a")]));
		while (records.get(id)?.children[1]?.status !== "completed") await Bun.sleep(5);
		const left = records.get(id);
		await first.engine[Symbol.asyncDispose]();
		if (left === undefined) throw new Error("there is a record");
		// As a process that was killed would have left it: nobody else has this number and start.
		records.write({ ...left, owner: { pid: 4_000_000, start: "long ago" } });
		expect(records.get(id)).toMatchObject({
			status: "lost",
			children: [{ status: "lost", error: expect.stringContaining("hermes died") }, { status: "completed" }],
		});
		const scene = delegationScene({ modelFor, records });
		await using _engine = scene.engine;
		expect(scene.engine.untold(new Set(["another"]))).toEqual([]);
		expect(scene.engine.untold(new Set(["c"]))).toEqual([
			{ id, text: expect.stringMatching(/is lost: hermes died.*Task 0 \(lost.*Task 1 \(completed.*a is done/s) },
		]);
		scene.engine.wasTold(id);
		expect(scene.engine.untold(new Set(["c"]))).toEqual([]);
	});

	test("a file that is no record stops nothing, and old records make room", async () => {
		using home = temporaryFolder();
		const folder = join(home.path, "delegations");
		const records = openRecords(folder);
		const scene = delegationScene({ modelFor, records });
		await using _engine = scene.engine;
		for (let index = 0; index < 55; index++) await scene.delegation.start([taskOf(`t${index}`)]);
		await Bun.write(join(folder, "deleg_ffffffff.json"), "{");
		const kept = records.list();
		expect(kept).toHaveLength(51);
		expect(kept[0]?.children[0]?.goal).toBe("t54");
	});
});
