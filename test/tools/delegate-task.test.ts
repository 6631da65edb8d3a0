/** delegate_task: what its text says, what it takes for a task, and where it is refused. */

import { describe, expect, test } from "bun:test";
import { noticeIn } from "../../lib/cli/runtime/open-delegations.ts";
import type { DelegatedTask, Delegation } from "../../lib/registry/delegation.ts";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import type { ToolSettings } from "../../lib/registry/tool.ts";
import { createApprover } from "../../lib/security/approval.ts";
import delegateTask from "../../lib/tools/delegate-task/index.ts";
import { bareContext } from "../support/tools.ts";

/** Settings of which only these are set. */
function settingsWith(values: Readonly<Record<string, unknown>>): ToolSettings {
	return {
		get: (key: string) => (key in values ? values[key] : undefined),
		find: () => undefined,
		variables: {},
		secrets: [],
	} as unknown as ToolSettings;
}

function textWith(values: Readonly<Record<string, unknown>>, depth = 0): string {
	const facts = { availableTools: new Set<string>(), settings: settingsWith(values), depth };
	return delegateTask.describe?.(facts)?.description ?? "";
}

/** Calls the tool as the loop does; gives what it answered and the tasks that it handed out. */
async function call(
	args: object,
	answer: Delegation["start"] = async () => ({ ok: true, data: { status: "dispatched" } }),
) {
	const started: (readonly DelegatedTask[])[] = [];
	const delegation = {
		start: (tasks: readonly DelegatedTask[]) => {
			started.push(tasks);
			return answer(tasks);
		},
	} as unknown as Delegation;
	const registry = createRegistry(new Map([["delegate_task", delegateTask]]), []);
	const { answer: text } = await dispatch({
		registry,
		call: { name: "delegate_task", arguments: JSON.stringify(args) },
		context: { ...bareContext, agent: { delegation } },
		approve: createApprover({ mode: "deny" }),
	});
	return { answer: JSON.parse(text), tasks: started[0] };
}

describe("the text of delegate_task", () => {
	test("states the limits that hold now", () => {
		const text = textWith({
			"delegation.max_concurrent_children": 5,
			"delegation.max_async_children": 2,
			"delegation.max_iterations": 17,
			"delegation.child_timeout_seconds": 5,
			"delegation.shared_budget": false,
			"delegation.max_spawn_depth": 3,
		});
		expect(text).toContain("5 work at the same time, the others wait for their turn, 32 in one call at most");
		expect(text).toContain("At most 2 delegations run at once");
		// Below thirty seconds a limit is thirty.
		expect(text).toContain(
			"A child makes 17 model calls at most, and takes 30 seconds at most; then it reports what it has.",
		);
		expect(text).toContain("agents stand 3 levels deep at most; its children are at level 2");
	});

	test("says what this agent cannot do: who waits, and who may not hand on", () => {
		const first = textWith({});
		expect(first).toContain("They work in the background");
		expect(first).toContain("50 model calls at most, which count as yours too.");
		expect(first).toContain("Children cannot hand out tasks themselves.");
		const below = textWith({ "delegation.max_spawn_depth": 3 }, 1);
		expect(below).toContain("You wait for their results");
		expect(below).not.toContain("in the background");
		expect(textWith({ "delegation.max_spawn_depth": 3 }, 2)).toContain("Children cannot hand out tasks themselves.");
		expect(textWith({ "delegation.max_spawn_depth": 3, "delegation.orchestrator_enabled": false })).toContain(
			"Children cannot hand out tasks themselves.",
		);
	});
});

describe("delegate_task", () => {
	test("what stands beside tasks is their default, but goal and context are not", async () => {
		const { tasks } = await call({
			goal: "not this",
			context: "nor this",
			toolsets: ["file"],
			role: "orchestrator",
			tasks: [
				{ goal: " a ", context: "about a" },
				{ goal: "b", toolsets: ["web"], role: "leaf", isolation: "worktree" },
			],
		});
		expect(tasks).toEqual([
			{ goal: "a", context: "about a", toolsets: ["file"], role: "orchestrator", isolation: "shared" },
			{ goal: "b", context: undefined, toolsets: ["web"], role: "leaf", isolation: "worktree" },
		]);
	});

	test.each([
		["a goal that is a number", { goal: 42 }, { error: expect.stringContaining("goal: expected string, got number") }],
		[
			"a role that nobody knows",
			{ goal: "x", role: "boss" },
			{ status: "dispatched", warnings: [expect.stringContaining('"boss"')] },
		],
		[
			"a blank goal",
			{ tasks: [{ goal: "fine" }, { goal: "  " }] },
			{ error: expect.stringContaining("Task 1 is missing a 'goal'") },
		],
		["tasks that are no list", { tasks: "no json" }, { error: expect.stringContaining("tasks") }],
		["no task at all", { tasks: [] }, { error: expect.stringContaining("give a goal") }],
		[
			"an action without its delegation",
			{ action: "status" },
			{ error: expect.stringContaining("delegation_id is missing") },
		],
		[
			"settings that are not the model's",
			{ goal: "x", max_iterations: 900, background: false },
			{ status: "dispatched" },
		],
	])("answers %s", async (_what, args, expected) => {
		expect((await call(args)).answer).toEqual(expected);
	});

	test("is refused where no agent asks, or one that may not hand out tasks", async () => {
		const registry = createRegistry(new Map([["delegate_task", delegateTask]]), []);
		const run = async (context: typeof bareContext) =>
			JSON.parse(
				(
					await dispatch({
						registry,
						call: { name: "delegate_task", arguments: '{"goal":"x"}' },
						context,
						approve: createApprover({ mode: "yolo" }),
					})
				).answer,
			);
		expect(await run(bareContext)).toEqual({ error: expect.stringContaining("delegate_task") });
		expect(await run({ ...bareContext, agent: {} })).toEqual({ error: expect.stringContaining("none that may do so") });
	});
});

test("a report that belongs to another conversation says so, and only then", () => {
	const notice = { type: "delegation", id: "deleg_1", conversationId: "old", text: "[done]" } as const;
	expect(noticeIn(notice, "old")).toEqual(notice);
	expect(noticeIn(notice, "new")).toMatchObject({
		text: expect.stringMatching(/^\[The following belongs to an earlier conversation .*session old.*\]\n\n\[done\]$/s),
	});
});
