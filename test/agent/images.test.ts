/** Images of the user on their way to models that see them, see none, or refuse them. */

import { describe, expect, test } from "bun:test";
import { type ImageSource, openImages } from "../../lib/agent/ask/sent-images.ts";
import type { MessageImage } from "../../lib/base/conversation.ts";
import { callOf, type Step, scriptedAgent, scriptedModel } from "../support/scripted-model.ts";

const never = new AbortController().signal;
const done: Step = { content: "done" };
const image: MessageImage = {
	sha256: "a".repeat(64),
	mediaType: "image/png",
	bytes: 3,
	width: 4,
	height: 3,
	name: "p.png",
};
const seen: ImageSource = { read: () => Buffer.from("abc"), areSeenBy: () => true };

/** What the last message of the user was, in each request, and whether its bytes were sent. */
function sentBy({ requests }: ReturnType<typeof scriptedModel>) {
	return requests.map(({ messages, images }) => {
		const asked = messages.findLast(({ role }) => role === "user");
		return { content: asked?.content, bytes: images?.get(image.sha256) };
	});
}

function warnings({ events }: ReturnType<typeof scriptedAgent>): string[] {
	return events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
}

describe("runTurn() with an image", () => {
	test("sends its bytes, and keeps none in the conversation", async () => {
		const client = scriptedModel([done]);
		const scripted = scriptedAgent({ client, images: openImages(seen) });
		await scripted.agent.runTurn("Look", never, [image]);
		expect(sentBy(client)).toEqual([{ content: "Look", bytes: "YWJj" }]);
		expect(scripted.agent.messages[0]).toEqual({ role: "user", content: "Look", images: [image] });
		expect(warnings(scripted)).toEqual([]);
	});

	test("whose file is gone says so, in the same words each time", async () => {
		const client = scriptedModel([{ toolCalls: [callOf("look")] }, done]);
		const { agent } = scriptedAgent({ client, images: openImages({ ...seen, read: () => undefined }) });
		await agent.runTurn("Look", never, [image]);
		const content = "[image p.png is no longer there]\nLook";
		expect(sentBy(client)).toEqual(Array(2).fill({ content, bytes: undefined }));
		// The very same message: others know it by its identity.
		expect(client.requests[0]?.messages[1]).toBe(client.requests[1]?.messages[1]);
	});

	test("gives a model that sees none the name, and tells the user once", async () => {
		const client = scriptedModel([done, done]);
		const scripted = scriptedAgent({ client, images: openImages({ ...seen, areSeenBy: () => false }) });
		await scripted.agent.runTurn("Look", never, [image]);
		await scripted.agent.runTurn("And now?", never);
		expect(client.requests.map(({ messages }) => messages[1]?.content)).toEqual(Array(2).fill("[image p.png]\nLook"));
		expect(warnings(scripted)).toEqual([expect.stringContaining('"first" is sent no images')]);
	});

	test.each(["image_rejected", "image_too_large", "payload_too_large", "bad_request"] as const)(
		"that is refused (%s) is left out from then on, and the same model answers",
		async (kind) => {
			const client = scriptedModel([{ refuse: kind }, done, done]);
			const scripted = scriptedAgent({ client, images: openImages(seen) });
			expect(await scripted.agent.runTurn("Look", never, [image])).toMatchObject({ ended: "answered", text: "done" });
			await scripted.agent.runTurn("Again", never, [image]);
			expect(sentBy(client)).toEqual([
				{ content: "Look", bytes: "YWJj" },
				{ content: "[image p.png]\nLook", bytes: undefined },
				{ content: "[image p.png]\nAgain", bytes: undefined },
			]);
			expect(warnings(scripted)).toEqual([expect.stringContaining("refused the images")]);
		},
	);

	test("that a model sees none of is no reason to ask it again when an image is refused", async () => {
		const client = scriptedModel([{ refuse: "image_rejected" }]);
		const { agent } = scriptedAgent({ client, images: openImages({ ...seen, areSeenBy: () => false }) });
		expect(await agent.runTurn("Look", never, [image])).toMatchObject({ ended: "failed", model_calls: 1 });
	});

	test("that is refused twice leaves the question to another model, which may see it", async () => {
		const client = scriptedModel([{ refuse: "image_rejected" }, { refuse: "image_rejected" }]);
		const second = scriptedModel([done]);
		const { agent } = scriptedAgent({
			client,
			images: openImages(seen),
			fallbacks: [{ providerId: "two", model: "second", open: async () => ({ client: second }) }],
		});
		expect(await agent.runTurn("Look", never, [image])).toMatchObject({ ended: "answered" });
		expect(sentBy(second)).toEqual([{ content: "Look", bytes: "YWJj" }]);
	});

	test("that was refused is left out by the next agent of the session too", async () => {
		const images = openImages(seen);
		const first = scriptedAgent({ client: scriptedModel([{ refuse: "image_rejected" }, done]), images });
		await first.agent.runTurn("Look", never, [image]);
		const client = scriptedModel([done]);
		await scriptedAgent({ client, images, history: first.agent.messages }).agent.runTurn("Again", never, [image]);
		expect(sentBy(client)).toEqual([{ content: "[image p.png]\nAgain", bytes: undefined }]);
	});
});
