import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { providers } from "../../lib/providers/all.ts";
import { findLocalServer } from "../../lib/providers/local-servers.ts";
import {
	type ModelRequest,
	type Provider,
	ProviderRefused,
	type ReasoningEffort,
	type WireName,
} from "../../lib/providers/provider.ts";
import { startWireServer } from "../support/wire-server.ts";

const { loaded } = await loadPlugins(providers);
const key = "sk-secret-1234567890";
const answers = join(import.meta.dir, "../fixtures/wires");

async function provider(id: string): Promise<Provider> {
	const found = loaded.get(id);
	if (found === undefined) throw new Error(`no provider ${id}`);
	return found;
}

const request: ModelRequest = {
	model: "test-model",
	effort: "high",
	maxOutputTokens: 100_000,
	cacheKey: "s-1",
	messages: [
		{ role: "system", content: "Be brief." },
		{ role: "user", content: "first" },
		{
			role: "assistant",
			content: "",
			toolCalls: [{ id: "a", name: "terminal", arguments: "{}" }],
			reasoning: "foreign thoughts",
			replay: { provider: "other", reasoningContent: "foreign thoughts" },
		},
		{ role: "tool", toolCallId: "a", toolName: "terminal", content: "{}" },
		{ role: "assistant", content: "done", toolCalls: [] },
		{ role: "user", content: "second" },
	],
	tools: [
		{
			name: "terminal",
			description: "Run it",
			parameters: {
				type: "object",
				properties: { format: { type: "string", pattern: "^/", enum: ["a/b"] }, path: { type: "string" } },
			},
		},
	],
};

async function sent(id: string, wire: WireName, changes: Partial<ModelRequest> = {}) {
	await using server = startWireServer({ pieces: [await Bun.file(join(answers, wire, "text.sse")).text()] });
	const client = await (await provider(id)).open({ baseUrl: server.url, apiKey: key, stallSeconds: 20 });
	await Array.fromAsync(client.complete({ ...request, ...changes }, new AbortController().signal));
	const { path, headers, body, text } = server.seen[0] ?? { path: "", headers: {}, body: {}, text: "" };
	return { path, headers, body: body as Record<string, unknown>, text };
}

describe("every service", () => {
	const hosted = [...loaded.values()].filter(({ baseUrl }) => baseUrl !== undefined);

	test("the names and aliases of providers are different from each other", () => {
		const names = [...loaded.values()].flatMap(({ id, aliases }) => [id, ...aliases]);
		expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
		expect([...loaded].every(([name, { id }]) => name === id)).toBe(true);
	});

	test("there are the services that are promised", () => {
		expect(hosted.map(({ id }) => id).toSorted()).toEqual(
			"anthropic codex deepseek gemini huggingface kimi minimax nous openai openrouter xai zai".split(" "),
		);
	});

	for (const { id, baseUrl, keyNames, open, models } of hosted) {
		test(`${id} has an https address, a model to begin with, and says how to give it a key`, async () => {
			expect([URL.parse(baseUrl ?? "")?.protocol, (models?.length ?? 0) > 0]).toEqual(["https:", true]);
			const refused = await open({ stallSeconds: 1 }).catch((cause: unknown) => cause);
			expect(refused).toBeInstanceOf(ProviderRefused);
			expect(refused).toMatchObject({ kind: "settings" });
			expect(String(refused)).toContain(`set ${keyNames[0]}`);
		});
	}
});

describe("openrouter", () => {
	test("complete() marks the prompt of Claude for the cache, names the conversation and asks for the cost", async () => {
		const { body } = await sent("openrouter", "chat-completions", { model: "anthropic/claude-sonnet-4.5" });
		const mark = { cache_control: { type: "ephemeral" } };
		expect(body).toMatchObject({
			session_id: "s-1",
			usage: { include: true },
			reasoning: { effort: "high" },
			messages: [
				{ role: "system", content: [{ type: "text", text: "Be brief.", ...mark }] },
				{ role: "user", content: [{ type: "text", text: "first", ...mark }] },
				{ role: "assistant", content: null },
				{ role: "tool", content: "{}" },
				{ role: "assistant", content: [{ type: "text", text: "done", ...mark }] },
				{ role: "user", content: [{ type: "text", text: "second", ...mark }] },
			],
		});
	});

	test("complete() marks what other conversations begin with too apart from the rest of the prompt", async () => {
		const messages = [
			{ role: "system" as const, content: "You are hermes.\n\nToday is Monday.", stable: 15 },
			{ role: "user" as const, content: "first" },
		];
		const { body, text } = await sent("openrouter", "chat-completions", {
			model: "anthropic/claude-sonnet-4.5",
			messages,
		});
		const mark = { cache_control: { type: "ephemeral" } };
		const content = [
			{ type: "text", text: "You are hermes.", ...mark },
			{ type: "text", text: "\n\nToday is Monday.", ...mark },
		];
		expect(body.messages).toEqual([{ role: "system", content }, expect.anything()]);
		expect(text.match(/cache_control/g)).toHaveLength(3);
	});

	test("complete() leaves models without such a cache their plain texts, and adaptive ones their own thinking", async () => {
		const plain = await sent("openrouter", "chat-completions", { model: "openai/gpt-5" });
		const adaptive = await sent("openrouter", "chat-completions", { model: "anthropic/claude-opus-4.6" });
		expect([plain.text.includes("cache_control"), adaptive.body.reasoning]).toEqual([false, undefined]);
	});

	test("complete() gives what the call cost, in millionths of a dollar", async () => {
		const usage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.0012345 };
		const body = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }], usage };
		await using server = startWireServer({
			pieces: [JSON.stringify(body)],
			headers: { "content-type": "application/json" },
		});
		const client = await (await provider("openrouter")).open({ baseUrl: server.url, apiKey: key, stallSeconds: 20 });
		const chunks = await Array.fromAsync(client.complete(request, new AbortController().signal));
		expect(chunks.at(-1)).toMatchObject({ type: "finished", costMicroUsd: 1235 });
	});
});

describe("services with ways of their own", () => {
	test("huggingface and custom: complete() says how much to think in words that all servers know, or nothing", async () => {
		const words = async (id: string, effort: ReasoningEffort) =>
			(await sent(id, "chat-completions", { effort })).body.reasoning_effort;
		const efforts = ["none", "minimal", "medium", "xhigh"] as const;
		for (const id of ["huggingface", "custom"])
			expect(await Promise.all(efforts.map((effort) => words(id, effort)))).toEqual(["none", "low", "medium", "high"]);
		const { effort: _, ...silent } = request;
		await using server = startWireServer({
			pieces: [await Bun.file(join(answers, "chat-completions/text.sse")).text()],
		});
		const client = await (await provider("custom")).open({ baseUrl: server.url, apiKey: key, stallSeconds: 20 });
		await Array.fromAsync(client.complete(silent, new AbortController().signal));
		expect(server.seen[0]?.text).not.toContain("reasoning_effort");
	});

	test("kimi and deepseek get a blank where another provider's thoughts stood, and never those", async () => {
		for (const id of ["kimi", "deepseek", "zai"]) {
			const { body, text } = await sent(id, "chat-completions", { model: "glm-5" });
			expect([text.includes("foreign"), body.messages]).toMatchObject([false, { 2: { reasoning_content: " " } }]);
		}
		const { body } = await sent("kimi", "chat-completions");
		expect([body.max_tokens, body.thinking, body.reasoning_effort]).toEqual([32_000, { type: "enabled" }, undefined]);
	});

	test("deepseek is told to think as much as it can", async () => {
		const { body } = await sent("deepseek", "chat-completions", { effort: "xhigh" });
		expect([body.thinking, body.reasoning_effort]).toEqual([{ type: "enabled" }, "max"]);
	});

	test("xai gets schemas without slashes and the name of the conversation in a header", async () => {
		const { body, headers } = await sent("xai", "responses");
		expect([headers["x-grok-conv-id"], body.prompt_cache_key, body.tools]).toMatchObject([
			"s-1",
			undefined,
			[{ parameters: { properties: { format: { type: "string" }, path: { type: "string" } } } }],
		]);
		expect(JSON.stringify(body.tools)).not.toMatch(/pattern|a\/b/);
	});

	test("anthropic gets thinking in the form that the model knows, and room for it", async () => {
		const old = await sent("anthropic", "anthropic-messages", { model: "claude-sonnet-4.5", maxOutputTokens: 1000 });
		const adaptive = await sent("anthropic", "anthropic-messages", { model: "claude-opus-4-6", effort: "xhigh" });
		const newer = await sent("anthropic", "anthropic-messages", { model: "claude-opus-5", effort: "xhigh" });
		const none = await sent("anthropic", "anthropic-messages", { model: "claude-3-5-haiku-latest", effort: "high" });
		expect([old.body, adaptive.body, newer.body, none.body]).toMatchObject([
			{ model: "claude-sonnet-4-5", max_tokens: 20_096, thinking: { type: "enabled", budget_tokens: 16_000 } },
			{ thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "max" } },
			{ thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } },
			{ max_tokens: 8192 },
		]);
		expect(none.body.thinking).toBeUndefined();
	});

	test("gemini gets a level or a budget that the model knows", async () => {
		const asked = [
			["gemini-3.1-pro-preview", "medium"],
			["gemini-3-pro-preview", "medium"],
			["gemini-3.5-flash", "none"],
			["gemma-4-31b-it", "low"],
			["gemini-2.5-pro", "none"],
			["gemini-2.5-flash", "none"],
			["gemini-2.5-flash", "high"],
		] as const;
		const bodies = await Promise.all(asked.map(([model, effort]) => sent("gemini", "gemini", { model, effort })));
		const configs = bodies.map(({ body }) => JSON.parse(JSON.stringify(body.generationConfig)).thinkingConfig);
		expect(configs).toEqual([
			{ thinkingLevel: "MEDIUM", includeThoughts: true },
			{ thinkingLevel: "HIGH", includeThoughts: true },
			{ thinkingLevel: "LOW", includeThoughts: false },
			{ thinkingLevel: "MINIMAL", includeThoughts: true },
			{ thinkingBudget: 128 },
			{ thinkingBudget: 0 },
			{ thinkingBudget: 16_384, includeThoughts: true },
		]);
	});

	test("anthropic refuses the token of a subscription and says why", async () => {
		const open = (await provider("anthropic")).open({ apiKey: "sk-ant-oat01-abcdef", stallSeconds: 1 });
		expect(String(await open.catch((cause: unknown) => cause))).toContain("it belongs to a subscription");
	});

	test("azure sends its key in the header that it documents", async () => {
		const { headers, body } = await sent("azure", "chat-completions");
		expect([headers["api-key"], headers.authorization, body.max_completion_tokens]).toEqual([key, undefined, 100_000]);
	});
});

describe("findLocalServer()", () => {
	test("findLocalServer() finds the server that answers like one, and asks without a key", async () => {
		const seen: (string | null)[] = [];
		await using ours = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (asked) => {
				seen.push(asked.headers.get("authorization"));
				return Response.json({ object: "list", data: [{ id: "qwen3:8b" }] });
			},
		});
		await using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") });
		const at = (name: string, port: number | undefined) => ({
			name,
			port: port ?? 0,
			baseUrl: `http://127.0.0.1:${port}/v1`,
		});
		const servers = [at("vllm", other.port), at("ollama", ours.port), at("llamacpp", 1)];
		const found = { ...at("ollama", ours.port), models: ["qwen3:8b"] };
		expect([await findLocalServer("local", servers), await findLocalServer("vllm", servers)]).toEqual([
			found,
			undefined,
		]);
		expect(seen).toEqual([null]);
	});
});
