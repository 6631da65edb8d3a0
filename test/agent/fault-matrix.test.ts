import { describe, expect, test } from "bun:test";
import { passingKinds, recoveries } from "../../lib/agent/ask/recoveries.ts";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { historyProblems } from "../../lib/agent/history.ts";
import type { RefusalKind } from "../../lib/providers/provider.ts";
import { callOf, type Step, scriptedAgent, scriptedModel, stepUsage } from "../support/scripted-model.ts";

const never = new AbortController().signal;

/** What is done, in order, about a failure that comes again and again, when there is another key, a compressor and another model. */
const ladder: Readonly<Record<RefusalKind, readonly string[]>> = {
	settings: ["fallback"],
	auth: [...Array(8).fill("another_key"), "fallback"],
	auth_permanent: [...Array(8).fill("another_key"), "fallback"],
	billing: [...Array(8).fill("another_key"), "fallback"],
	rate_limit: [...Array(8).fill("another_key"), "fallback"],
	long_context_limit: [...Array(3).fill("shorter_conversation"), "fallback"],
	overloaded: ["ask_again", "ask_again", "fallback"],
	server_error: ["ask_again", "ask_again", "fallback"],
	context_overflow: [...Array(3).fill("shorter_conversation"), "fallback"],
	payload_too_large: [...Array(3).fill("shorter_conversation"), "fallback"],
	image_too_large: ["fallback"],
	image_rejected: ["fallback"],
	model_not_found: ["fallback"],
	policy_blocked: ["fallback"],
	content_blocked: ["fallback"],
	replay_rejected: ["without_earlier_reasoning", "fallback"],
	schema_rejected: ["plain_schemas", "fallback"],
	bad_request: ["fallback"],
	unreadable: ["fallback"],
	network: ["ask_again", "ask_again", "fallback"],
	stalled: ["ask_again", "ask_again", "fallback"],
	tape: [],
};

/** The same with nothing but this one model. */
const alone: Partial<Record<RefusalKind, readonly string[]>> = {
	rate_limit: ["ask_again", "ask_again"],
	overloaded: ["ask_again", "ask_again"],
	server_error: ["ask_again", "ask_again"],
	unreadable: ["ask_again", "ask_again"],
	network: ["ask_again", "ask_again"],
	stalled: ["ask_again", "ask_again"],
	replay_rejected: ["without_earlier_reasoning"],
	schema_rejected: ["plain_schemas"],
};

const kinds = Object.keys(ladder) as RefusalKind[];
const asks: Step = { toolCalls: [callOf("look")] };
const done: Step = { content: "done" };

function actionsIn(events: readonly AgentEvent[]): string[] {
	return events.flatMap((event) => {
		if (event.type === "retry") return [event.recovery];
		return event.type === "fallback" ? ["fallback"] : [];
	});
}

const answers = (steps: readonly Step[]) => steps.filter((step) => !("refuse" in step)).length;

/** Everything that may help, and the first model that refuses for `kind` as often as it is asked after `before`. */
function scene(kind: RefusalKind, before: readonly Step[]) {
	const first = scriptedModel([...before, ...Array.from({ length: 20 }, () => ({ refuse: kind }))]);
	const second = scriptedModel([done]);
	const scripted = scriptedAgent({
		client: first,
		rotateKey: async () => true,
		compress: async ({ why, messages }) => (why === "check" ? undefined : { messages }),
		fallbacks: [{ providerId: "two", model: "second", open: async () => ({ client: second }) }],
	});
	return { ...scripted, first, second };
}

describe.each(kinds)("a model that fails with %s", (kind) => {
	test.each([
		["at the first call", []],
		["in the middle of a turn", [asks]],
	])("%s: the ways on are taken in order, then the other model answers", async (_where, before) => {
		const { agent, events, ran, first, second } = scene(kind, before);
		const finished = await agent.runTurn("Go", never);
		const expected = ladder[kind];
		expect(actionsIn(events)).toEqual([...expected]);
		const isAnswered = expected.includes("fallback");
		expect(finished).toMatchObject(
			isAnswered
				? { ended: "answered", text: "done", answered_by: { provider: "two", model: "second" } }
				: { ended: "failed", reason: kind, error: `refused: ${kind}` },
		);
		// Nothing is paid for twice, and no tool runs again.
		const paid = answers(before) + answers(isAnswered ? [done] : []);
		expect(finished.usage.outputTokens).toBe(paid * stepUsage.outputTokens);
		expect(finished.model_calls).toBe(first.requests.length + second.requests.length);
		expect(ran).toEqual(before.length > 0 ? ["call_look"] : []);
		expect(historyProblems(agent.messages)).toEqual([]);
		expect(events.at(-1)).toEqual(finished);
	});

	test("after the other model took over: that one is treated alike, and the turn ends in one line", async () => {
		const first = scriptedModel([{ refuse: "model_not_found" }]);
		const second = scriptedModel([asks, ...Array.from({ length: 20 }, () => ({ refuse: kind }))]);
		const { agent, events, ran, clock } = scriptedAgent({
			client: first,
			fallbacks: [{ providerId: "two", model: "second", open: async () => ({ client: second }) }],
		});
		const finished = await agent.runTurn("Go", never);
		expect(actionsIn(events)).toEqual(["fallback", ...(alone[kind] ?? [])]);
		expect(finished).toMatchObject({ ended: "failed", reason: kind, error: `refused: ${kind}`, text: "" });
		expect(finished.usage.outputTokens).toBe(stepUsage.outputTokens);
		expect(ran).toEqual(["call_look"]);
		expect(historyProblems(agent.messages)).toEqual([]);
		if (passingKinds.includes(kind)) expect(clock.waits).toEqual(kind === "unreadable" ? [6250, 12_500] : [2500, 5000]);
		else expect(clock.waits).toEqual([]);
	});

	test("breaking off after a part was shown: the part stays, and passing failures are gone on from", async () => {
		const client = scriptedModel([{ refuse: kind, after: "Half of " }, { content: "it." }]);
		const { agent } = scriptedAgent({ client });
		const finished = await agent.runTurn("Go", never);
		expect(finished).toMatchObject(
			passingKinds.includes(kind)
				? { ended: "answered", text: "Half of it." }
				: { ended: "failed", reason: kind, text: "" },
		);
		expect(agent.messages[1]).toEqual({
			role: "assistant",
			content: "Half of ",
			toolCalls: [],
			finishReason: "failed",
		});
		expect(historyProblems(agent.messages)).toEqual([]);
	});
});

test("recoveries: every kind but the end of a tape has one", () => {
	const covered = new Set(recoveries.flatMap((recovery) => recovery.kinds));
	expect(kinds.filter((kind) => !covered.has(kind))).toEqual(["tape"]);
});
