import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { AssistantMessage, Message } from "../../lib/base/conversation.ts";
import custom from "../../lib/providers/custom.ts";
import { type ModelChunk, type ModelRequest, ProviderRefused } from "../../lib/providers/provider.ts";
import { type Fault, type ScriptedAnswer, scriptedUsage, startOpenAiServer } from "../support/openai-server.ts";
import { startWireServer } from "../support/wire-server.ts";

const generous = 20;
const key = "sk-secret-1234567890";
const request: ModelRequest = {
	model: "test-model",
	messages: [
		{ role: "system", content: "Be brief." },
		{ role: "user", content: "Hello" },
	],
	tools: [{ name: "terminal", description: "Run it", parameters: { type: "object", properties: {} } }],
};

async function chunksFrom(
	answer: ScriptedAnswer,
	options: { stallSeconds?: number; signal?: AbortSignal; request?: ModelRequest } = {},
): Promise<ModelChunk[]> {
	await using server = startOpenAiServer([answer]);
	const client = await custom.open({
		baseUrl: server.url,
		apiKey: key,
		stallSeconds: options.stallSeconds ?? generous,
	});
	return await Array.fromAsync(
		client.complete(options.request ?? request, options.signal ?? new AbortController().signal),
	);
}

async function messageFrom(answer: ScriptedAnswer): Promise<AssistantMessage> {
	const last = (await chunksFrom(answer)).at(-1);
	if (last?.type !== "finished") throw new Error("no finished chunk");
	return last.message;
}

async function refusalOf(promise: Promise<unknown>): Promise<ProviderRefused> {
	const cause = await promise.then(
		() => new Error("was not refused"),
		(reason: unknown) => reason,
	);
	if (!(cause instanceof ProviderRefused)) throw cause;
	expect(cause.message).not.toContain("\n");
	expect(cause.message).not.toContain(key);
	return cause;
}

describe("custom", () => {
	test("complete() streams reasoning and text and ends with the whole message and its usage", async () => {
		const chunks = await chunksFrom({ reasoning: "hmmmmm", text: "Grüße 🙂!" });
		const joined = (type: "text" | "reasoning") => chunks.flatMap((chunk) => (chunk.type === type ? [chunk.text] : []));
		expect(joined("text").length).toBeGreaterThan(1);
		expect({ text: joined("text").join(""), reasoning: joined("reasoning").join(""), last: chunks.at(-1) }).toEqual({
			text: "Grüße 🙂!",
			reasoning: "hmmmmm",
			last: {
				type: "finished",
				message: {
					role: "assistant",
					content: "Grüße 🙂!",
					toolCalls: [],
					reasoning: "hmmmmm",
					finishReason: "stop",
				},
				usage: { inputTokens: 15, outputTokens: 7, cacheReadTokens: 5, cacheWriteTokens: 0, reasoningTokens: 2 },
			},
		});
		expect(scriptedUsage.total_tokens).toBe(27);
	});

	test("complete() puts streamed tool calls together", async () => {
		const toolCalls = [
			{ id: "a", name: "terminal", arguments: '{"command": "echo \\"hi\\""}' },
			{ id: "b", name: "read_file", arguments: '{"path":"x"}' },
		];
		expect(await messageFrom({ toolCalls })).toEqual({
			role: "assistant",
			content: "",
			toolCalls,
			finishReason: "tool_calls",
		});
	});

	const oneCall = (call: object) => ({ tool_calls: [call] });
	const whole = (name: string, path: string) => ({ name, arguments: `{"path":"${path}"}` });
	const ofCalls: Readonly<Record<string, readonly unknown[]>> = {
		"whole calls in one piece": [
			{
				tool_calls: [
					{ index: 0, id: "a", function: whole("one", "x") },
					{ index: 1, id: "b", function: whole("two", "y") },
				],
			},
		],
		"index 0 for every call": [
			oneCall({ index: 0, id: "a", function: whole("one", "x") }),
			oneCall({ index: 0, id: "b", function: whole("two", "y") }),
		],
		"index 0 for every call and no id": [
			oneCall({ index: 0, function: whole("one", "x") }),
			oneCall({ index: 0, function: whole("two", "y") }),
		],
		"no index": [
			oneCall({ id: "a", function: { name: "one", arguments: '{"pa' } }),
			oneCall({ function: { arguments: 'th":"x"}' } }),
			oneCall({ id: "b", function: whole("two", "y") }),
		],
		"the same id for every call": [
			{
				tool_calls: [
					{ index: 0, id: "a", function: whole("one", "x") },
					{ index: 1, id: "a", function: whole("two", "y") },
				],
			},
		],
		"the name and the id in every piece": [
			oneCall({ index: 0, id: "a", function: { name: "one", arguments: '{"path"' } }),
			oneCall({ index: 0, id: "a", function: { name: "one", arguments: ':"x"}' } }),
			oneCall({ index: 1, id: "b", function: { name: "two", arguments: "" } }),
			oneCall({ index: 1, id: "b", function: { name: "two", arguments: '{"path":"y"}' } }),
		],
		"interleaved pieces": [
			oneCall({ index: 0, id: "a", function: { name: "one", arguments: "" } }),
			oneCall({ index: 1, id: "b", function: { name: "two", arguments: '{"path":' } }),
			oneCall({ index: 0, function: { arguments: '{"path":"x"}' } }),
			oneCall({ index: 1, function: { arguments: '"y"}' } }),
		],
		"arguments as an object": [
			oneCall({ index: 0, id: "a", function: { name: "one", arguments: { path: "x" } } }),
			oneCall({ index: 1, id: "b", function: { name: "two", arguments: { path: "y" } } }),
		],
	};
	for (const [kind, deltas] of Object.entries(ofCalls)) {
		test(`complete() reads two calls from a server that sends ${kind}`, async () => {
			const { toolCalls } = await messageFrom({ deltas, finishReason: "tool_calls" });
			expect(toolCalls.map(({ name, arguments: text }) => [name, text])).toEqual([
				["one", '{"path":"x"}'],
				["two", '{"path":"y"}'],
			]);
			expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
			expect(toolCalls.every(({ id }) => id.length > 0)).toBe(true);
		});
	}

	test("complete() makes {} of absent arguments", async () => {
		const deltas = [oneCall({ index: 0, id: "a", function: { name: "now" } })];
		expect((await messageFrom({ deltas, finishReason: "tool_calls" })).toolCalls).toEqual([
			{ id: "a", name: "now", arguments: "{}" },
		]);
	});

	test("complete() reads the answer of a server that does not stream", async () => {
		const toolCalls = [{ id: "a", name: "terminal", arguments: "{}" }];
		expect(await chunksFrom({ text: "ok", toolCalls, whole: true })).toMatchObject([
			{ type: "text", text: "ok" },
			{ type: "finished", message: { content: "ok", toolCalls, finishReason: "tool_calls" } },
		]);
	});

	test("complete() sends the conversation in the shape of the wire", async () => {
		await using server = startOpenAiServer([{ text: "ok" }]);
		const client = await custom.open({ baseUrl: `${server.url}/`, apiKey: key, stallSeconds: generous });
		const messages: Message[] = [
			{ role: "user", content: "first \ud800" },
			{ role: "user", content: "second" },
			{
				role: "assistant",
				content: "",
				reasoning: "never sent",
				toolCalls: [
					{ id: "a", name: "terminal", arguments: '{"command":"ls"}' },
					{ id: "b", name: "terminal", arguments: '{"command":"cut o' },
				],
				finishReason: "length",
			},
			{ role: "tool", toolCallId: "a", toolName: "terminal", content: "{}" },
			{ role: "tool", toolCallId: "b", toolName: "terminal", content: '{"error":"cut off"}' },
		];
		await Array.fromAsync(client.complete({ model: "m", messages, tools: [] }, new AbortController().signal));
		expect(server.requests.map(({ path, authorization, body }) => ({ path, authorization, body }))).toEqual([
			{
				path: "/v1/chat/completions",
				authorization: `Bearer ${key}`,
				body: {
					model: "m",
					stream: true,
					stream_options: { include_usage: true },
					messages: [
						{ role: "user", content: "first \ufffd\n\nsecond" },
						{
							role: "assistant",
							content: null,
							tool_calls: [
								{ id: "a", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } },
								{ id: "b", type: "function", function: { name: "terminal", arguments: "{}" } },
							],
						},
						{ role: "tool", tool_call_id: "a", content: "{}" },
						{ role: "tool", tool_call_id: "b", content: '{"error":"cut off"}' },
					],
				},
			},
		] as never);
	});

	test("open() for a server without keys sends no Authorization header", async () => {
		await using server = startOpenAiServer([{ text: "ok" }]);
		const client = await custom.open({ baseUrl: server.url, stallSeconds: generous });
		await Array.fromAsync(client.complete(request, new AbortController().signal));
		expect(server.requests.map(({ authorization }) => authorization)).toEqual([null]);
	});

	test("complete() takes nothing from the OPENAI_* variables", async () => {
		await using server = startOpenAiServer([{ text: "ok" }]);
		const child = Bun.spawn([process.execPath, `${import.meta.dir}/../support/complete-once.ts`, server.url], {
			env: {
				...process.env,
				OPENAI_API_KEY: "sk-foreign",
				OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
				OPENAI_ORG_ID: "org-foreign",
				OPENAI_PROJECT_ID: "foreign",
				OPENAI_CUSTOM_HEADERS: "x-foreign: 1\nauthorization: Bearer foreign",
				OPENAI_LOG: "debug",
			},
			stderr: "pipe",
		});
		const printed = [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
		expect(printed).toEqual(["ok\n", ""]);
		expect(JSON.stringify(server.requests)).not.toContain("foreign");
	});

	test("complete() shows no secret of what a server quotes in its refusal", async () => {
		const secrets = {
			password: "hunter2-and-more",
			parameter: "p4r4m3t3r0fTheUrl99",
			bearer: "b34r3r0fTheHeaders77",
			token: `ghp_${"a1B2".repeat(9)}`,
			jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
			pem: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
		};
		const message = [
			`bad request to https://user:${secrets.password}@host/v1?api_key=${secrets.parameter}`,
			`authorization: Bearer ${secrets.bearer} ${secrets.token} ${secrets.jwt} {"password": "${secrets.password}"}`,
			`-----BEGIN PRIVATE KEY-----\n${secrets.pem.repeat(20)}`,
		].join("\n");
		await using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () => Response.json({ error: { message } }, { status: 400 }),
		});
		const client = await custom.open({ baseUrl: `${server.url}v1`, apiKey: key, stallSeconds: generous });
		const refused = await refusalOf(Array.fromAsync(client.complete(request, new AbortController().signal)));
		expect(refused.message).toContain("it rejects the request (400): bad request to https://user:");
		expect(Object.values(secrets).filter((secret) => refused.message.includes(secret))).toEqual([]);
	});

	const lines: Readonly<Record<Fault, readonly [string, string]>> = {
		"401": ["auth", "it refuses the API key (401); check the key in CUSTOM_API_KEY"],
		"402": ["billing", "the account has no credit left (402): Insufficient credits"],
		"404": [
			"model_not_found",
			'it does not know the model "test-model" or this address (404): The model does not exist; check -m and --base-url',
		],
		"429": ["rate_limit", "too many requests (429): Rate limit reached for requests; wait and try again"],
		"500": ["server_error", "the server failed (500): The server had an error; try again later"],
		"html-500": ["server_error", "the server failed (502): an HTML page; try again later"],
		redirect: ["settings", "it redirects (308); give the final address with --base-url"],
		"garbage-body": ["unreadable", "it sent no answer that can be read (content type text/html); check --base-url"],
		"garbage-json": ["unreadable", "it sent a stream that is not JSON; check --base-url"],
		"garbage-sse": ["unreadable", "it sent a stream that is not JSON; check --base-url"],
		"wrong-shape": [
			"unreadable",
			"it sent a part that is no chat completion (content type text/event-stream); check --base-url",
		],
		"error-in-stream": ["overloaded", "it reports upstream is overloaded"],
		"empty-stream": [
			"unreadable",
			"it sent no answer that can be read (content type text/event-stream); check --base-url",
		],
		truncated: ["network", "it ended the stream in the middle of its answer"],
		reset: ["network", "the connection broke off in the middle of its answer"],
		never: ["stalled", "nothing came for 0.3 s; the request was given up"],
		stall: ["stalled", "nothing came for 0.3 s; the request was given up"],
	};
	for (const [fault, [kind, state]] of Object.entries(lines)) {
		test(`complete() gives one clear line for the fault ${fault}`, async () => {
			const stallSeconds = ["never", "stall"].includes(fault) ? 0.3 : generous;
			const refusal = await refusalOf(chunksFrom({ fault: fault as Fault, text: "some text" }, { stallSeconds }));
			expect([refusal.kind, refusal.message.replace(/127\.0\.0\.1:\d+/, "HOST")]).toEqual([
				kind,
				`Cannot get an answer from "http://HOST/v1": ${state}`,
			] as never);
		});
	}

	test("complete() takes a stream for whole whose server says no more of its end than [DONE]", async () => {
		const said = (content: string) =>
			`data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] })}\n\n`;
		const finished = async (end: string) => {
			await using server = startWireServer({ pieces: [said("It is "), said("done."), ...end] });
			const client = await custom.open({ baseUrl: `${server.url}/v1`, stallSeconds: generous });
			return (await Array.fromAsync(client.complete(request, new AbortController().signal))).at(-1);
		};
		expect(await finished("data: [DONE]\n\n")).toMatchObject({ type: "finished", message: { content: "It is done." } });
		expect((await refusalOf(finished(""))).message).toEndWith("it ended the stream in the middle of its answer");
	});

	test("complete() says when a server can be asked again that wants to be left alone for long", async () => {
		await using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () => Response.json({ error: { message: "slow" } }, { status: 429, headers: { "retry-after": "3000" } }),
		});
		const client = await custom.open({ baseUrl: `${server.url}v1`, stallSeconds: generous });
		const refusal = await refusalOf(Array.fromAsync(client.complete(request, new AbortController().signal)));
		expect(refusal.message).toEndWith("too many requests (429): slow; it can be asked again in 50 minutes");
	});

	test("complete() names the variable to set when there is no key", async () => {
		await using server = startOpenAiServer([{ fault: "401" }]);
		const client = await custom.open({ baseUrl: server.url, stallSeconds: generous });
		const refusal = await refusalOf(Array.fromAsync(client.complete(request, new AbortController().signal)));
		expect([refusal.kind, refusal.status]).toEqual(["auth", 401]);
		expect(refusal.message).toEndWith("it refuses the API key (401); set CUSTOM_API_KEY");
	});

	test("complete() says that nobody listens", async () => {
		const client = await custom.open({ baseUrl: "http://127.0.0.1:1/v1", stallSeconds: generous });
		const refusal = await refusalOf(Array.fromAsync(client.complete(request, new AbortController().signal)));
		expect([refusal.kind, refusal.message]).toEqual([
			"network",
			'Cannot get an answer from "http://127.0.0.1:1/v1": the connection was refused; is the server running?',
		]);
	});

	for (const fault of ["never", "stall"] as const) {
		test(`complete() ends at once when it is interrupted while the server does ${fault}`, async () => {
			await using server = startOpenAiServer([{ fault, text: "some" }]);
			const client = await custom.open({ baseUrl: server.url, stallSeconds: generous });
			const controller = new AbortController();
			const run = Array.fromAsync(client.complete(request, controller.signal));
			while (server.requests.length === 0) await Bun.sleep(5);
			controller.abort();
			expect(await run.catch((cause: unknown) => (cause instanceof Error ? cause.name : ""))).toBe("AbortError");
			while (server.cancelled() === 0) await Bun.sleep(5);
		});
	}

	test("complete() lets the connection go when its consumer leaves early", async () => {
		await using server = startOpenAiServer([{ fault: "stall", text: "some" }]);
		const client = await custom.open({ baseUrl: server.url, stallSeconds: generous });
		for await (const chunk of client.complete(request, new AbortController().signal)) {
			if (chunk.type === "text") break;
		}
		while (server.cancelled() === 0) await Bun.sleep(5);
	});

	test("open() refuses an address or a key that cannot be used", async () => {
		const messageOf = async (settings: { baseUrl?: string; apiKey?: string }) =>
			(await refusalOf(custom.open({ ...settings, stallSeconds: 1 }))).message;
		expect([
			await messageOf({}),
			await messageOf({ baseUrl: "localhost:11434" }),
			await messageOf({ baseUrl: "http://me:pw@host/v1" }),
			await messageOf({ baseUrl: "http://host/v1?x=1" }),
			await messageOf({ baseUrl: "http://host/v1", apiKey: "schlüssel" }),
		]).toEqual([
			"Cannot use provider custom: no address was given; pass --base-url, for example --base-url http://127.0.0.1:11434/v1",
			'Cannot use the base URL "localhost:11434": it is not an http or https address',
			"Cannot use the base URL: it holds a password; give the key in CUSTOM_API_KEY",
			'Cannot use the base URL "http://host/v1?x=1": it may not have a query or a fragment',
			"Cannot use the key in CUSTOM_API_KEY: it is empty or has characters that no key has; copy it again",
		]);
	});
});

describe("the test server", () => {
	test("startOpenAiServer() answers the openai SDK as a real server does", async () => {
		const toolCalls = [{ id: "a", name: "terminal", arguments: '{"command":"ls"}' }];
		await using server = startOpenAiServer([{ text: "look", toolCalls }, { text: "done" }, { fault: "429" }]);
		const client = new OpenAI({ baseURL: server.url, apiKey: key, maxRetries: 0 });
		const messages = [{ role: "user" as const, content: "hi" }];
		const streamed = await client.chat.completions.stream({ model: "m", messages }).finalChatCompletion();
		const plain = await client.chat.completions.create({ model: "m", messages });
		expect([streamed.choices[0]?.message.content, streamed.choices[0]?.message.tool_calls]).toMatchObject([
			"look",
			[{ id: "a", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }],
		]);
		expect([plain.choices[0]?.message.content, plain.usage?.prompt_tokens]).toEqual(["done", 20]);
		expect(
			await client.chat.completions.create({ model: "m", messages }).catch((cause: unknown) => cause),
		).toBeInstanceOf(OpenAI.RateLimitError);
	});
});
