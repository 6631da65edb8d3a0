/** Whose change is merged or discarded, and what is said when none can be. */

import { describe, expect, test } from "bun:test";
import { takeOver } from "../../../lib/agent/delegate/changes.ts";
import type { Isolation, MergeReport } from "../../../lib/agent/delegate/isolation.ts";
import { queuedReport } from "../../../lib/agent/delegate/progress.ts";
import type { ChildReport } from "../../../lib/registry/delegation.ts";
import { taskOf } from "../../support/delegation-scene.ts";

const { signal } = new AbortController();

/** A child that is done, with a change in this state. */
function childWith(
	index: number,
	state?: "open" | "merged" | "discarded",
	status: ChildReport["status"] = "completed",
) {
	const report = { ...queuedReport(index, `sa-${index}-00000000`, taskOf("x")), status };
	const change = { kind: "worktree", summary: "a | 1 +", target: "/p", branch: `b${index}` } as const;
	return state === undefined ? report : { ...report, change: { ...change, state } };
}

function isolationWith(report: MergeReport): Isolation {
	return {
		open: () => Promise.reject(new Error("not asked for")),
		merge: async () => report,
		discard: async () => {},
	};
}

const merging = isolationWith({ kind: "merged", files: ["a"] });

function take(children: readonly ChildReport[], task?: number, isolation: Isolation | undefined = merging) {
	return takeOver("merge", { id: "deleg_1", task, children, isolation, signal });
}

describe("takeOver()", () => {
	test("takes the one change that there is, or the one that is named, and once", async () => {
		const children = [childWith(0), childWith(1, "open"), childWith(2, "open")];
		expect(await take(children)).toMatchObject({
			ok: false,
			why: expect.stringContaining("several tasks have changes (1, 2)"),
		});
		expect(await take(children, 2)).toEqual({ ok: true, data: { status: "merged", task_index: 2, files: ["a"] } });
		expect(await take(children, 2)).toMatchObject({ ok: false, why: expect.stringContaining("was merged already") });
		expect(await take(children)).toMatchObject({ ok: true, data: { task_index: 1 } });
		expect(await take(children, 0)).toMatchObject({ ok: false, why: expect.stringContaining("has left no change") });
	});

	test("leaves a change alone that is still being made", async () => {
		const children = [childWith(0, "open", "running")];
		expect(await take(children)).toMatchObject({ ok: false, why: expect.stringContaining("is not done yet") });
		expect(children[0]).toMatchObject({ change: { state: "open" } });
	});

	test("with conflicts the change stays open, and they are named", async () => {
		const children = [childWith(0, "open")];
		const conflicts = isolationWith({ kind: "conflicts", files: ["a"], why: ["a: both changed it"] });
		expect(await take(children, undefined, conflicts)).toMatchObject({
			ok: false,
			why: expect.stringMatching(/nothing was changed\. .*a: both changed it; the change is on the branch b0/),
		});
		expect(children[0]).toMatchObject({ change: { state: "open" } });
		expect(await takeOver("discard", { id: "d", task: 0, children, isolation: conflicts, signal })).toMatchObject({
			ok: true,
		});
		expect(children[0]).toMatchObject({ change: { state: "discarded" } });
	});
});
