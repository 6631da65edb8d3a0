import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, createAgent, type RunTool } from "../../lib/agent/agent.ts";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { historyProblems } from "../../lib/agent/history.ts";
import type { Message } from "../../lib/base/conversation.ts";
import cassette from "../../lib/providers/cassette/index.ts";
import custom from "../../lib/providers/custom.ts";
import type { ModelClient } from "../../lib/providers/provider.ts";
import { openStore } from "../../lib/store/database.ts";
import type { Store } from "../../lib/store/store.ts";
import { startOpenAiServer } from "../support/openai-server.ts";

const never = new AbortController().signal;
const usage = { inputTokens: 15, outputTokens: 7, cacheReadTokens: 5, cacheWriteTokens: 0, reasoningTokens: 2 };
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

let home: string;
let store: Store;
let events: AgentEvent[];
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-agent-"));
	store = openStore(join(home, "state.db"));
	store.createSession({ id: "s", source: "test" });
	events = [];
});
afterEach(() => {
	store.close();
	rmSync(home, { recursive: true, force: true });
});

const echo: RunTool = async (call, { onOutput }) => {
	onOutput("live ");
	return { answer: `{"echo":${call.arguments}}`, isError: false, denied: call.name === "denied", durationMs: 3 };
};

function agentWith(client: ModelClient, options: Partial<AgentOptions> = {}) {
	return createAgent({
		client,
		model: "test-model",
		providerId: "custom",
		systemPrompt: "Be brief.",
		tools: [{ name: "terminal", description: "Run it", parameters: { type: "object" } }],
		runTool: echo,
		store,
		sessionId: "s",
		cwd: "/work",
		ranOn: "local",
		maxTurns: 5,
		limits: { attempts: 1 },
		emit: (event) => {
			events.push(event);
		},
		...options,
	});
}

function play(...lines: readonly object[]): Promise<ModelClient> {
	const text = lines.map((line) => JSON.stringify(line)).join("\n");
	return cassette.open({ tape: { name: "tape", text, values: {} }, stallSeconds: 5 });
}

const stored = () => store.listMessages("s").map(({ message }) => message);
const callOf = (name: string, args: object | string = {}) => ({ tool_calls: [{ name, arguments: args }] });

function expectValid(messages: readonly Message[]) {
	expect(historyProblems(messages)).toEqual([]);
}

describe("createAgent()", () => {
	test("runTurn() calls the tools a streaming server asks for and gives its answer", async () => {
		const command = '{"command":"ls"}';
		await using server = startOpenAiServer([
			{ text: "abc", toolCalls: [{ id: "a", name: "terminal", arguments: command }] },
			{ reasoning: "r", text: "Done" },
		]);
		const agent = agentWith(await custom.open({ baseUrl: server.url, stallSeconds: 20 }));
		const finished = await agent.runTurn("Go", never);

		const tokens = Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, count * 2]));
		expect(events as unknown).toEqual([
			{
				type: "session_started",
				session_id: "s",
				provider: "custom",
				model: "test-model",
				cwd: "/work",
				ran_on: "local",
				tools: ["terminal"],
			},
			{ type: "text_delta", text: "a" },
			{ type: "text_delta", text: "b" },
			{ type: "text_delta", text: "c" },
			{ type: "assistant_message", text: "abc", tool_calls: 1 },
			{ type: "tool_started", id: "a", name: "terminal", arguments: command },
			{ type: "tool_output", id: "a", text: "live " },
			{
				type: "tool_finished",
				id: "a",
				name: "terminal",
				result: '{"echo":{"command":"ls"}}',
				is_error: false,
				denied: false,
				duration_ms: 3,
			},
			{ type: "reasoning_delta", text: "r" },
			{ type: "text_delta", text: "Do" },
			{ type: "text_delta", text: "ne" },
			{ type: "assistant_message", text: "Done", tool_calls: 0 },
			{
				type: "turn_finished",
				session_id: "s",
				ended: "answered",
				text: "Done",
				model_calls: 2,
				denied_calls: 0,
				usage: tokens,
				context_tokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
			},
		]);
		expect(events.at(-1)).toEqual(finished);
		expect(server.requests.map(({ body }) => body.messages.map(({ role }) => role).join(" "))).toEqual([
			"system user",
			"system user assistant tool",
		]);
		expect(stored()).toEqual([...agent.messages]);
		expect(store.getSession("s")).toMatchObject({ messageCount: 4, toolCallCount: 1, apiCallCount: 2, usage: tokens });
	});

	test("runTurn() goes on with the conversation and announces it once", async () => {
		const agent = agentWith(await play({ text: "one" }, { text: "two" }));
		await agent.runTurn("1", never);
		await agent.runTurn("2", never);
		expect(stored().map(({ content }) => content)).toEqual(["1", "one", "2", "two"]);
		expect(events.filter(({ type }) => type === "session_started").length).toBe(1);
	});

	test("runTurn() asks once more for a report after as many model calls as allowed, with every call answered", async () => {
		const agent = agentWith(await play(callOf("terminal"), callOf("denied"), { text: "half done" }), { maxTurns: 2 });
		expect(await agent.runTurn("Go", never)).toEqual({
			type: "turn_finished",
			session_id: "s",
			ended: "max_turns",
			text: "half done",
			model_calls: 3,
			denied_calls: 1,
			usage: noUsage,
		});
		expectValid(stored());
	});

	test("runTurn() never runs a call that may be cut off, and tells the model why", async () => {
		const ran: string[] = [];
		const client = await play(
			callOf("terminal", '{"command": "rm -rf /tmp/x'),
			{ ...callOf("terminal", { command: "rm -rf /" }), finish_reason: "length" },
			{ ...callOf("terminal", { command: "ls" }) },
			{ text: "ok" },
		);
		const agent = agentWith(client, {
			runTool: (call, run) => {
				ran.push(call.arguments);
				return echo(call, run);
			},
		});
		await agent.runTurn("Go", never);
		expect(ran).toEqual(['{"command":"ls"}']);
		expect(events.flatMap((event) => (event.type === "tool_finished" ? [[event.is_error, event.result]] : []))).toEqual(
			[
				[
					true,
					'{"error":"The arguments are not complete JSON, so the call was not run. Send it again with one valid JSON object"}',
				],
				[
					true,
					'{"error":"The answer reached its length limit, so this call may be incomplete and was not run. Send it again, in smaller steps"}',
				],
				[false, '{"echo":{"command":"ls"}}'],
			],
		);
		expectValid(stored());
	});

	test("runTurn() answers a call whose tool throws with the error", async () => {
		const agent = agentWith(await play(callOf("terminal"), { text: "sorry" }), {
			runTool: () => Promise.reject(new Error("the machine is gone")),
		});
		expect((await agent.runTurn("Go", never)).ended).toBe("answered");
		expect(stored()[2]).toMatchObject({ content: '{"error":"Cannot run \\"terminal\\": the machine is gone"}' });
	});

	test("runTurn() lets a cut answer go on three times, then warns", async () => {
		const cut = (text: string) => ({ text, finish_reason: "length" });
		const agent = agentWith(await play(cut("a"), cut("b"), cut("c"), cut("d")));
		expect(await agent.runTurn("Go", never)).toMatchObject({ ended: "answered", text: "abcd" });
		expectValid(stored());
		expect(events.filter(({ type }) => type === "warning")).toEqual([
			{ type: "warning", message: "The answer reached the model's length limit and is incomplete" },
		]);
	});

	test("runTurn() ends as failed with one line when the provider gives no answer", async () => {
		await using server = startOpenAiServer([
			{ toolCalls: [{ id: "a", name: "terminal", arguments: "{}" }] },
			{ text: "partial text", fault: "truncated" },
			{ fault: "500" },
			...Array.from({ length: 4 }, () => ({ text: " " })),
			{ text: "", finishReason: "content_filter" },
		]);
		const agent = agentWith(await custom.open({ baseUrl: server.url, stallSeconds: 20 }));
		const errors: unknown[] = [];
		for (const text of ["1", "2", "3"]) {
			const { ended, error } = await agent.runTurn(text, never);
			errors.push([ended, error?.replace(server.url, "URL")]);
		}
		expect(errors).toEqual([
			["failed", 'Cannot get an answer from "URL": the server failed (500): The server had an error; try again later'],
			["failed", "The model answered with nothing, also when asked again; ask in other words or use another model"],
			["failed", "The provider's content filter withheld the answer; ask in other words or use another model"],
		]);
		expect(stored().map((message) => [message.role, message.content])).toEqual([
			["user", "1"],
			["assistant", ""],
			["tool", '{"echo":{}}'],
			["assistant", "partial text"],
			["user", expect.stringContaining("Go on exactly where it ended")],
			["user", "2"],
			["user", "3"],
		]);
		expect(events.filter(({ type }) => type === "turn_finished").length).toBe(3);
	});

	test("runTurn() ends as failed when its session cannot be written", async () => {
		const agent = agentWith(await play({ text: "never asked" }), { sessionId: "unknown" });
		expect(await agent.runTurn("Go", never)).toMatchObject({
			ended: "failed",
			error: 'Cannot add a message to session "unknown": no such session',
			model_calls: 0,
		});
	});

	test("runTurn() first answers calls that an earlier process left open", async () => {
		const call = (id: string) => ({ id, name: "terminal", arguments: "{}" });
		const history: Message[] = [
			{ role: "user", content: "before" },
			{ role: "assistant", content: "", toolCalls: [call("a"), call("b")] },
			{ role: "tool", toolCallId: "a", toolName: "terminal", content: "{}" },
		];
		const agent = agentWith(await play({ text: "on we go" }), { history });
		await agent.runTurn("again", never);
		expectValid(agent.messages);
		expect(stored().map(({ content }) => content)).toEqual([
			'{"error":"No result: hermes ended while this call ran. What it had done until then stays"}',
			"again",
			"on we go",
		]);
	});
});

describe("interrupt", () => {
	async function interrupted(agent: ReturnType<typeof agentWith>, when: () => boolean) {
		const controller = new AbortController();
		const running = agent.runTurn("Go", controller.signal);
		while (!when()) await Bun.sleep(5);
		controller.abort();
		const finished = await running;
		expect(finished).toMatchObject({ ended: "interrupted", text: "" });
		expect(events.filter(({ type }) => type === "turn_finished")).toEqual([finished]);
		expectValid(stored());
		expect(stored()).toEqual([...agent.messages]);
	}

	test("runTurn() ends while the model streams, and keeps what was shown", async () => {
		await using server = startOpenAiServer([{ text: "some text", fault: "stall" }]);
		const agent = agentWith(await custom.open({ baseUrl: server.url, stallSeconds: 20 }));
		await interrupted(agent, () => events.filter(({ type }) => type === "text_delta").length === 3);
		expect(stored().at(-1)).toEqual({
			role: "assistant",
			content: "some text",
			toolCalls: [],
			finishReason: "interrupted",
		});
		while (server.cancelled() === 0) await Bun.sleep(5);
	});

	test("runTurn() ends although a client does not heed the signal", async () => {
		let asked = false;
		const deaf: ModelClient = {
			async *complete() {
				asked = true;
				await new Promise(() => {});
				yield { type: "text", text: "too late" };
			},
		};
		await interrupted(agentWith(deaf), () => asked);
	});

	const twoCalls = { tool_calls: [{ name: "terminal" }, { name: "patch" }] };
	const running = () => events.some(({ type }) => type === "tool_output");
	const answers = () => stored().flatMap((message) => (message.role === "tool" ? [message.content] : []));

	test("runTurn() keeps the answer of a tool that ends when it is interrupted", async () => {
		const runTool: RunTool = async (_, { signal, onOutput }) => {
			const child = Bun.spawn(["sleep", "60"], { signal });
			onOutput("started");
			await child.exited;
			return { answer: '{"exit_code":130}', isError: false, denied: false, durationMs: 1 };
		};
		await interrupted(agentWith(await play(twoCalls), { runTool }), running);
		expect(answers()).toEqual([
			'{"exit_code":130}',
			'{"error":"Not run: the user interrupted the turn before this call began"}',
		]);
	});

	test("runTurn() gives up a tool that does not end, and drops what it says later", async () => {
		const late = Promise.withResolvers<never>();
		let say = (_text: string) => {};
		const runTool: RunTool = (_, { onOutput }) => {
			say = onOutput;
			onOutput("started");
			return late.promise;
		};
		await interrupted(agentWith(await play(twoCalls), { runTool }), running);
		expect(answers()).toEqual([
			'{"error":"Interrupted by the user before it ended. What it had done until then stays"}',
			'{"error":"Not run: the user interrupted the turn before this call began"}',
		]);
		const count = events.length;
		say("too late");
		late.reject(new Error("too late"));
		await late.promise.catch(() => undefined);
		expect(events.length).toBe(count);
	});

	test("runTurn() with a signal that is aborted already asks nobody", async () => {
		const agent = agentWith(await play({ text: "never" }));
		expect(await agent.runTurn("Go", AbortSignal.abort())).toMatchObject({ ended: "interrupted", model_calls: 0 });
		expect(stored()).toEqual([{ role: "user", content: "Go" }]);
	});
});
