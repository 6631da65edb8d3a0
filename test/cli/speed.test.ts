/** Faster answers for more money: asked of those who offer them, and of nobody else. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openSpeed } from "../../lib/cli/runtime/speed-switch.ts";
import { fastFields } from "../../lib/providers/fast-mode.ts";
import type { ModelChunk, ModelRequest } from "../../lib/providers/provider.ts";
import { openWire } from "../../lib/providers/wire/open-wire.ts";
import { startWireServer } from "../support/wire-server.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const openai = { id: "openai", baseUrl: "https://api.openai.com/v1" };
const anthropic = { id: "anthropic", baseUrl: "https://api.anthropic.com" };
const request: ModelRequest = { model: "m", messages: [{ role: "user", content: "go" }], tools: [] };

test.each([
	{ ...openai, model: "gpt-5.4", fields: { service_tier: "priority" } },
	{ ...anthropic, model: "claude-opus-4-6", fields: { speed: "fast" } },
	{ ...anthropic, model: "claude-haiku-4-5", fields: undefined },
	{ id: "openai", baseUrl: "https://proxy.example/v1", model: "gpt-5.4", fields: undefined },
	{ id: "custom", baseUrl: "https://api.openai.com.example/v1", model: "gpt-5.4", fields: undefined },
	{ id: "cassette", baseUrl: undefined, model: "tape", fields: undefined },
])("fastFields() of $id at $baseUrl for $model", ({ fields, ...route }) => {
	expect(fastFields(route)).toEqual(fields);
});

test("a switch asks for the faster answer from the next call on, and only while it is on", async () => {
	const asked: ModelRequest[] = [];
	const client = {
		async *complete(request: ModelRequest): AsyncIterable<ModelChunk> {
			asked.push(request);
			yield { type: "text", text: "done" };
		},
	};
	const provider = { ...openai, model: "gpt-5.4", client };
	const speed = openSpeed({ get: () => "" } as never, () => provider);
	const { client: asking } = speed.asking(provider);
	for (const isFast of [false, true, false]) {
		speed.set(isFast);
		await Array.fromAsync(asking.complete({ ...request, extraBody: { top_p: 1 } }, AbortSignal.timeout(30_000)));
	}
	expect(asked.map(({ extraBody }) => extraBody)).toEqual([
		{ top_p: 1 },
		{ service_tier: "priority", top_p: 1 },
		{ top_p: 1 },
	]);
	expect(speed.refusal).toBeUndefined();
});

test("Anthropic is told of the beta in which speed may be chosen, when it is", async () => {
	const pieces = [await Bun.file(join(import.meta.dir, "../fixtures/wires/anthropic-messages/text.sse")).text()];
	await using server = startWireServer({ pieces });
	const settings = { provider: "anthropic", baseUrl: server.url, apiKey: "k", keyName: "K", stallSeconds: 20 };
	const client = await openWire("anthropic-messages", settings);
	for (const extraBody of [{}, { speed: "fast" }]) {
		await Array.fromAsync(client.complete({ ...request, extraBody }, AbortSignal.timeout(30_000)));
	}
	expect(server.seen.map(({ headers }) => headers["anthropic-beta"])).toEqual([undefined, "fast-mode-2026-02-01"]);
	expect(server.seen[1]?.body).toMatchObject({ speed: "fast" });
});
