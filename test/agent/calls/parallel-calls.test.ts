import { describe, expect, test } from "bun:test";
import type { CallTraits, RunTool } from "../../../lib/agent/agent.ts";
import { groupCalls } from "../../../lib/agent/calls/call-groups.ts";
import { callOf, scriptedAgent, scriptedModel } from "../../support/scripted-model.ts";

const never = new AbortController().signal;
const reads: CallTraits = { readOnly: true };
const beside: CallTraits = { isParallel: true };
const writes = (...changes: string[]): CallTraits => ({ isConfined: true, changes });

describe("groupCalls()", () => {
	test.each<[string, Record<string, CallTraits>, string]>([
		["calls that read run together", { a: reads, b: reads, c: reads }, "abc"],
		["calls that change different files run together", { a: writes("/x/1"), b: writes("/x/2") }, "ab"],
		["calls that change the same file run in order", { a: writes("/x/1"), b: writes("/x/1") }, "a b"],
		["a file and its folder are the same place", { a: writes("/x/"), b: writes("/x/1"), c: writes("/xy") }, "a bc"],
		["upper and lower case are the same file", { a: writes("/x/One"), b: writes("/x/one") }, "a b"],
		[
			"a question to the user stands alone",
			{ a: reads, b: { isInteractive: true, readOnly: true }, c: reads },
			"a b c",
		],
		["calls that are made for it run beside each other and reads", { a: beside, b: beside, c: reads, d: {} }, "abc d"],
		["nothing overtakes a call that may do anything", { a: reads, b: {}, c: reads, d: reads }, "a b cd"],
		["a call whose files are not known stands alone", { a: { isConfined: true }, b: writes("/x/1") }, "a b"],
		["reading waits for a change before it", { a: writes("/x/1"), b: reads }, "a b"],
	])("%s", (_name, calls, expected) => {
		const groups = groupCalls(Object.entries(calls).map(([id, traits]) => ({ id, traits })));
		expect(groups.map((group) => group.map(({ id }) => id).join("")).join(" ")).toBe(expected);
	});
});

/** Runs the calls of one message; each ends when the test says so. */
function startCalls(count: number, traits: CallTraits = reads) {
	const toolCalls = Array.from({ length: count }, (_, index) => callOf("look", { index }, `c${index}`));
	const open = new Map<string, () => void>();
	const runTool: RunTool = async ({ id }) => {
		const { promise, resolve } = Promise.withResolvers<void>();
		open.set(id, resolve);
		await promise;
		open.delete(id);
		return { answer: JSON.stringify({ id }), isError: false, denied: false, durationMs: 1 };
	};
	const client = scriptedModel([{ toolCalls }, { content: "done" }]);
	const scripted = scriptedAgent({ client, runTool, traitsOf: () => traits });
	return { ...scripted, open, running: scripted.agent.runTurn("Go", never) };
}

const until = async (isSo: () => boolean) => {
	while (!isSo()) await Bun.sleep(1);
};

describe("runTurn()", () => {
	test("runs eight calls at once and no more, and answers in call order however they end", async () => {
		const { agent, open, running } = startCalls(10);
		await until(() => open.size === 8);
		await Bun.sleep(5);
		expect([...open.keys()]).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"]);
		open.get("c7")?.();
		await until(() => open.has("c8"));
		expect(agent.messages.length).toBe(2);
		for (const id of ["c8", "c6", "c5", "c4", "c3", "c2", "c1", "c0"]) open.get(id)?.();
		await until(() => open.has("c9"));
		open.get("c9")?.();
		expect((await running).ended).toBe("answered");
		const answered = agent.messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
		expect(answered).toEqual(Array.from({ length: 10 }, (_, index) => `c${index}`));
	});

	test("runs calls that may do anything one after the other", async () => {
		const { open, running } = startCalls(3, {});
		for (const id of ["c0", "c1", "c2"]) {
			await until(() => open.has(id));
			expect(open.size).toBe(1);
			open.get(id)?.();
		}
		await running;
	});

	test("does not run the same call of one message twice", async () => {
		const twice = callOf("change", { path: "a" }, "one");
		const client = scriptedModel([{ toolCalls: [twice, { ...twice, id: "two" }] }, { content: "done" }]);
		const { agent, ran } = scriptedAgent({ client });
		await agent.runTurn("Go", never);
		expect(ran).toEqual(["one"]);
		expect(agent.messages[3]?.content).toContain("the same call stands earlier in this message");
	});
});
