/** What the loop adds to a turn: a model that answers at once, no tools, and two hundred messages before it. */

import { createAgent } from "../lib/agent/agent.ts";
import type { Message } from "../lib/base/conversation.ts";
import type { ModelClient } from "../lib/providers/provider.ts";
import { defineBench } from "./bench.ts";

const history: readonly Message[] = Array.from({ length: 50 }, (_, index): readonly Message[] => [
	{ role: "user", content: `Question ${index}` },
	{ role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "look", arguments: '{"path":"a"}' }] },
	{ role: "tool", toolCallId: `c${index}`, toolName: "look", content: JSON.stringify({ text: "x".repeat(500) }) },
	{ role: "assistant", content: `Answer ${index}`, toolCalls: [] },
]).flat();

const instant: ModelClient = {
	async *complete() {
		yield { type: "text", text: "done" };
		yield { type: "finished", message: { role: "assistant", content: "done", toolCalls: [] } };
	},
};

export default defineBench({
	operation: "a turn without tools after 200 messages (less than 2 ms)",
	floor: "the same model asked directly",
	samples: 300,

	async open() {
		const { signal } = new AbortController();
		const request = { model: "m", messages: history, tools: [] };
		return {
			// A new agent each time, or the history would grow.
			operation: () => agentWith(history).runTurn("Go", signal),
			async floor() {
				for await (const _ of instant.complete(request, signal));
			},
			async [Symbol.asyncDispose]() {},
		};
	},
});

function agentWith(before: readonly Message[]) {
	return createAgent({
		client: instant,
		model: "m",
		providerId: "bench",
		systemPrompt: "Be brief.",
		tools: [],
		runTool: () => Promise.reject(new Error("Cannot run a tool: there is none")),
		sessionId: "bench",
		cwd: "/",
		ranOn: "local",
		maxTurns: 90,
		history: before,
		emit() {},
	});
}
