import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { createAgent } from "../../lib/agent/agent.ts";
import { callOf, stepUsage } from "../support/scripted-model.ts";

test("a thousand turns of one agent leave no more behind than a hundred", async () => {
	const { signal } = new AbortController();
	const agent = createAgent({
		client: {
			async *complete({ messages }) {
				yield { type: "text", text: "text" };
				const isAsked = messages.at(-1)?.role === "user";
				const toolCalls = isAsked ? [callOf("look", { at: messages.length })] : [];
				yield { type: "finished", message: { role: "assistant", content: "text", toolCalls }, usage: stepUsage };
			},
		},
		model: "m",
		providerId: "test",
		systemPrompt: "Be brief.",
		tools: [],
		runTool: async () => ({ answer: `{"text":"${"x".repeat(2000)}"}`, isError: false, denied: false, durationMs: 0 }),
		traitsOf: () => ({ readOnly: true }),
		// What was said is no leak: it is forgotten from time to time.
		compress: async ({ why, messages }) =>
			why === "check" && messages.length > 40 ? { messages: messages.slice(-1) } : undefined,
		limits: { idleMs: 60_000 },
		sessionId: "s",
		cwd: "/",
		ranOn: "local",
		maxTurns: 90,
		emit() {},
	});
	const turns = async (count: number) => {
		for (let turn = 0; turn < count; turn++) expect((await agent.runTurn("Go", signal)).ended).toBe("answered");
		Bun.gc(true);
		const { heapSize, objectCount, objectTypeCounts } = heapStats();
		return { heapSize, objectCount, signals: objectTypeCounts.AbortSignal ?? 0 };
	};
	await turns(100);
	const before = await turns(100);
	const after = await turns(1000);
	expect(after.signals - before.signals).toBeLessThan(50);
	expect(after.objectCount - before.objectCount).toBeLessThan(3_000);
	expect(after.heapSize - before.heapSize).toBeLessThan(2_000_000);
});
