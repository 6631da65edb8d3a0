/** Answers of the user's model for servers: a real server of the SDK asks through a real client, the model is scripted. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { CreateMessageRequestParams } from "@modelcontextprotocol/sdk/types.js";
import { silentLogger } from "../../../lib/log/logger.ts";
import { chooseModel } from "../../../lib/mcp/sampling/limits.ts";
import { createSampling, type SamplingQuestion } from "../../../lib/mcp/sampling/sampling.ts";
import type { ModelClient } from "../../../lib/providers/provider.ts";
import { type Step, scriptedModel } from "../../support/scripted-model.ts";

setDefaultTimeout(30_000);

interface SceneOptions {
	readonly steps?: readonly Step[];
	readonly written?: object;
	readonly agrees?: boolean;
	readonly client?: ModelClient;
}

/** A server whose requests are answered by a model that says `steps`. */
async function scene({ steps = [], written = {}, agrees = true, client: given }: SceneOptions) {
	const model = scriptedModel(steps);
	const asked: SamplingQuestion[] = [];
	let now = 0;
	const feature = createSampling({
		server: "s",
		written: { enabled: true, ...written },
		model: async () => ({ client: given ?? model, model: "usual" }),
		consent: async (question) => {
			asked.push(question);
			return agrees;
		},
		log: silentLogger,
		now: () => now,
	});
	const client = new Client({ name: "test", version: "1" }, { capabilities: feature?.capabilities ?? {} });
	await feature?.attach(client, { signal: new AbortController().signal, whilePaused: (wait) => wait() });
	const server = new Server({ name: "s", version: "1" }, { capabilities: {} });
	const [near, far] = InMemoryTransport.createLinkedPair();
	await Promise.all([server.connect(far), client.connect(near)]);
	return {
		model,
		asked,
		pass(ms: number) {
			now += ms;
		},
		sample: (more: Partial<CreateMessageRequestParams> = {}) =>
			server.createMessage({ messages: [said("Two words")], maxTokens: 100, ...more } as CreateMessageRequestParams),
	};
}

function said(text: string) {
	return { role: "user" as const, content: { type: "text" as const, text } };
}

test("a request is shown to the user, answered by the model, and within the cap of tokens", async () => {
	const { sample, model, asked } = await scene({ steps: [{ content: "Hello there", finishReason: "stop" }] });
	expect(await sample({ systemPrompt: "Be short", maxTokens: 9_000 })).toEqual({
		model: "usual",
		role: "assistant",
		stopReason: "endTurn",
		content: { type: "text", text: "Hello there" },
	});
	expect(asked).toEqual([{ server: "s", model: "usual", maxTokens: 4_096, text: "system: Be short\nuser: Two words" }]);
	expect(model.requests).toEqual([
		{
			model: "usual",
			messages: [
				{ role: "system", content: "Be short" },
				{ role: "user", content: "Two words" },
			],
			tools: [],
			maxOutputTokens: 4_096,
		},
	]);
});

test("it is off unless the settings switch it on, and the user is not asked where they allowed it", async () => {
	await expect((await scene({ written: { enabled: false } })).sample()).rejects.toThrow();
	const allowed = await scene({ steps: [{ content: "Yes" }], written: { consent: "allow" }, agrees: false });
	expect(await allowed.sample()).toMatchObject({ content: { text: "Yes" } });
	expect(allowed.asked).toEqual([]);
});

test("a user who does not agree costs nothing", async () => {
	const { sample, model } = await scene({ steps: [{ content: "Yes" }], agrees: false });
	await expect(sample()).rejects.toMatchObject({
		code: -1,
		message: expect.stringContaining("the user did not agree"),
	});
	expect(model.requests).toEqual([]);
});

test("tools of the request are called by the model and answered by the server, as often as is allowed", async () => {
	const call = { id: "c1", name: "look", arguments: '{"at":"x"}' };
	const broken = { id: "c2", name: "look", arguments: "{at" };
	const steps = [{ content: "I look", toolCalls: [call, broken], finishReason: "tool_calls" }, { content: "Done" }];
	const { sample, model } = await scene({ steps, written: { max_tool_rounds: 1, consent: "allow" } });
	const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object" as const } }];
	const uses = [
		{ type: "tool_use" as const, id: "c1", name: "look", input: { at: "x" } },
		{ type: "tool_use" as const, id: "c2", name: "look", input: { _raw: "{at" } },
	];
	expect(await sample({ tools })).toMatchObject({
		stopReason: "toolUse",
		content: [{ type: "text", text: "I look" }, ...uses],
	});
	const results = uses.map(({ id }) => ({
		type: "tool_result" as const,
		toolUseId: id,
		content: [{ type: "text" as const, text: id }],
		isError: id === "c2",
	}));
	const round = [
		{ role: "assistant" as const, content: uses },
		{ role: "user" as const, content: results },
	];
	expect(await sample({ tools, messages: [said("Look"), ...round] })).toMatchObject({
		stopReason: "endTurn",
		content: { type: "text", text: "Done" },
	});
	expect(model.requests[1]?.messages.slice(2)).toEqual([
		{ role: "tool", toolCallId: "c1", toolName: "look", content: '{"result":"c1"}' },
		{ role: "tool", toolCallId: "c2", toolName: "look", content: '{"error":"c2"}' },
	]);
	await expect(sample({ tools, messages: [said("Look"), ...round, ...round] })).rejects.toThrow(
		"the model has called tools 1 times already",
	);
	const without = await scene({ written: { max_tool_rounds: 0 } });
	await expect(without.sample({ tools })).rejects.toThrow();
	expect(without.model.requests).toEqual([]);
});

test("requests a minute and tokens a run are limited", async () => {
	const answers = Array.from({ length: 4 }, () => ({ content: "Yes" }));
	const { sample, pass } = await scene({ steps: answers, written: { max_rpm: 2, token_budget: 40, consent: "allow" } });
	await sample();
	await sample();
	await expect(sample()).rejects.toThrow("it has asked 2 times within a minute; ask again later");
	pass(60_000);
	await sample();
	await expect(sample()).rejects.toThrow("its 40 tokens of this run are used up");
});

test("an answer ends at a stop sequence, or where the tokens end", async () => {
	const { sample } = await scene({
		steps: [{ content: "one STOP two" }, { content: "one tw", finishReason: "length" }],
		written: { consent: "allow" },
	});
	expect(await sample({ stopSequences: ["never", "STOP"] })).toMatchObject({
		stopReason: "stopSequence",
		content: { type: "text", text: "one " },
	});
	expect(await sample()).toMatchObject({ stopReason: "maxTokens" });
});

test("what goes wrong is an error of the protocol that says what", async () => {
	const { sample } = await scene({ steps: [{ refuse: "billing" }], written: { consent: "allow" } });
	const picture = { type: "image" as const, data: "AA==", mimeType: "image/png" };
	await expect(sample({ messages: [{ role: "user", content: picture }] })).rejects.toThrow(
		"a message holds image, which cannot be passed on; send text",
	);
	await expect(sample()).rejects.toMatchObject({ code: -32_603, message: expect.stringContaining("refused: billing") });
	const stuck: ModelClient = {
		async *complete() {
			await new Promise(() => {});
		},
	};
	const late = await scene({ client: stuck, written: { consent: "allow", timeout: 0.1 } });
	await expect(late.sample()).rejects.toThrow("no answer within 0.1 s");
	expect(() => createSampling({ ...never, written: { max_rpm: 0 } })).toThrow(
		"Cannot read mcp_servers.s.sampling: max_rpm: ",
	);
});

const never = { server: "s", model: async () => undefined, consent: async () => false, log: silentLogger };

test.each([
	[{ allowed_models: [] }, ["big"], "usual"],
	[{ allowed_models: ["usual", "a-big-model"] }, ["huge", "BIG"], "a-big-model"],
	[{ allowed_models: ["usual", "small"], model: "small" }, [], "small"],
	[{ allowed_models: ["small"] }, [], undefined],
	[{ allowed_models: ["small"], model: "big" }, ["small"], undefined],
] as const)("chooseModel() of %j for %j", (settings, hints, model) => {
	const modelPreferences = { hints: hints.map((name) => ({ name })) };
	const chosen = chooseModel(
		{ ...settings, allowed_models: [...settings.allowed_models] },
		{ modelPreferences },
		"usual",
	);
	expect(chosen.ok ? chosen.model : undefined).toBe(model);
});
