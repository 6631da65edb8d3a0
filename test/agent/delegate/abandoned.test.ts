/** Children that do not stop when they are told to: nobody waits for them, and what they had said is reported. */

import { expect, test } from "bun:test";
import { delegationScene, resultsOf, taskOf } from "../../support/delegation-scene.ts";
import { callOf, scriptedModel } from "../../support/scripted-model.ts";

/** A scene in which the child `deaf` is inside a call that nothing ends. */
function sceneWithDeafChild(limits: { readonly timeoutMs?: number }) {
	const inside = Promise.withResolvers<void>();
	const scene = delegationScene({
		deaf: "deaf",
		modelFor: (goal) =>
			scriptedModel(
				goal === "deaf" ? [{ content: "I begin.", toolCalls: [callOf("look")] }] : [{ content: `${goal} is done` }],
			),
		limits: { atOnce: 1, ...limits },
		async onCall() {
			inside.resolve();
			await new Promise(() => {});
		},
	});
	return { ...scene, inside: inside.promise };
}

test("an interrupted call reports them as abandoned, with what they had said, and keeps what is finished", async () => {
	const scene = sceneWithDeafChild({});
	await using _engine = scene.engine;
	const answer = scene.delegation.start([taskOf("first"), taskOf("deaf"), taskOf("never")]);
	await scene.inside;
	scene.interrupt();
	expect(resultsOf(await answer)).toMatchObject([
		{ status: "completed", summary: "first is done" },
		{
			status: "abandoned",
			exit_reason: "interrupted",
			error: "It did not stop in time",
			partial: "I begin.",
			tool_trace: [{ tool: "look", status: "running" }],
		},
		{ status: "abandoned", error: "Never begun: the delegation was stopped before its turn came" },
	]);
});

test("one over its time is reported as that, and the next one gets its turn", async () => {
	const scene = sceneWithDeafChild({ timeoutMs: 200 });
	await using _engine = scene.engine;
	const results = resultsOf(await scene.delegation.start([taskOf("deaf"), taskOf("next")]));
	expect(results).toMatchObject([
		{ status: "timeout", error: "Its time was up after 0.2 s", partial: "I begin." },
		{ status: "completed", summary: "next is done" },
	]);
	expect(scene.seen.closed).toEqual(["deaf", "next"]);
});
