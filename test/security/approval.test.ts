/** Who may run what, in each mode. */

import { describe, expect, test } from "bun:test";
import { type ApprovalChoice, type ApprovalRequest, createApprover } from "../../lib/security/approval.ts";

const list: ApprovalRequest = { kind: "command", command: "ls" };
const note: ApprovalRequest = { kind: "write", path: "/srv/a" };
const forbidden: ApprovalRequest = { kind: "command", command: "rm -rf /" };

/** An approver that answers from a list and remembers what it was asked. */
function asking(answers: readonly (ApprovalChoice | Error | string)[]) {
	const asked: ApprovalRequest[] = [];
	const left = [...answers];
	const approve = createApprover({
		mode: "ask",
		async ask(request) {
			asked.push(request);
			const answer = left.shift();
			if (answer instanceof Error) throw answer;
			return answer as ApprovalChoice;
		},
	});
	return { approve, asked };
}

describe("createApprover()", () => {
	test.each(["yolo", "allow"] as const)("in mode %s approves everything but the hard line", async (mode) => {
		const approve = createApprover({ mode });
		expect(await approve(list)).toEqual({ approved: true });
		expect(await approve(note)).toEqual({ approved: true });
		expect(await approve(forbidden)).toEqual({ approved: false, reason: expect.stringContaining("root folder") });
	});

	test("in mode deny refuses, forbids a way around and names --yolo", async () => {
		const approve = createApprover({ mode: "deny" });
		const verdict = await approve(list);
		expect(verdict).toEqual({ approved: false, reason: expect.stringMatching(/Do not retry.*rephrase.*--yolo/s) });
	});

	test("in mode ask without anybody to ask refuses", async () => {
		expect((await createApprover({ mode: "ask" })(list)).approved).toBe(false);
	});

	test("asks each time after once, and never again after always, for this exact request only", async () => {
		const { approve, asked } = asking(["once", "always", "deny", "always", "deny"]);
		const other: ApprovalRequest = { kind: "command", command: "ls " };
		const verdicts = [];
		for (const request of [list, list, list, other, note, note, { kind: "write", path: "/srv/ab" } as const]) {
			verdicts.push((await approve(request)).approved);
		}
		expect(verdicts).toEqual([true, true, true, false, true, true, false]);
		expect(asked).toEqual([list, list, other, note, { kind: "write", path: "/srv/ab" }]);
	});

	test("takes always for every file of a change, and asks when one more is changed", async () => {
		const { approve, asked } = asking(["always", "deny"]);
		const both = { kind: "write", path: "/srv/a", others: ["/srv/b, c"] } as const;
		const more = { kind: "write", path: "/srv/b, c", others: ["/srv/d"] } as const;
		const verdicts = [];
		for (const request of [both, both, note, { kind: "write", path: "/srv/b, c" } as const, more])
			verdicts.push((await approve(request)).approved);
		expect(verdicts).toEqual([true, true, true, true, false]);
		expect(asked).toEqual([both, more]);
	});

	test("takes end of input, an invalid answer and no answer as a no", async () => {
		const { approve } = asking([new Error("end of input"), "yes", "", "deny"]);
		const verdicts = [];
		for (let round = 0; round < 5; round++) verdicts.push((await approve(list)).approved);
		expect(verdicts).toEqual([false, false, false, false, false]);
	});

	test("never asks about the hard line", async () => {
		const { approve, asked } = asking(["always"]);
		expect((await approve(forbidden)).approved).toBe(false);
		expect(asked).toEqual([]);
	});

	test("judges a command by the folder it would run in", async () => {
		const approve = createApprover({ mode: "yolo", home: "/srv/ann" });
		expect((await approve({ kind: "command", command: "rm -rf *", cwd: "/" })).approved).toBe(false);
		expect((await approve({ kind: "command", command: "rm -rf *", cwd: "/srv/ann" })).approved).toBe(false);
		expect((await approve({ kind: "command", command: "rm -rf *", cwd: "/srv/ann/x" })).approved).toBe(true);
	});

	test("asks one question at a time, and one answer of always serves those who wait", async () => {
		let open = 0;
		let most = 0;
		let count = 0;
		const approve = createApprover({
			mode: "ask",
			async ask() {
				count++;
				most = Math.max(most, ++open);
				await Bun.sleep(5);
				open--;
				return "always";
			},
		});
		const verdicts = await Promise.all([approve(list), approve(list), approve(note)]);
		expect({ verdicts, most, count }).toEqual({
			verdicts: [{ approved: true }, { approved: true }, { approved: true }],
			most: 1,
			count: 2,
		});
	});
});
